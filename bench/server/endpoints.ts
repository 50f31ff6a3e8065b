/**
 * The processes of the comparison: an upstream, a relay that translates nothing, the millrace server, and, if one is
 * named, the server of another build.
 */
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { ask, forkProgram, nextMessage } from '../children.ts'
import { caseOfBase, type Figure } from '../figure.ts'
import { inTurns, median } from '../measure.ts'

export type Served = 'relay' | 'server' | 'base'
export type Role = 'upstream' | Served

export interface Report {
  /** Processor time in ms. */
  readonly cpu: number
  /** Bytes of heap and external memory. */
  readonly memory: number
  /** Bytes of all memory. */
  readonly resident: number
  /** The number of open file descriptors. */
  readonly descriptors: number
  /** Upstreams only: when the last endless stream was closed, in microseconds of the clock of all processes. */
  readonly lastClosed: number
}

export interface Endpoint {
  readonly url: string
  /** `collect`: collects garbage first, so that the figure covers only memory in use. */
  readonly report: (collect?: boolean) => Promise<Report>
  /** Begins a profile, or ends it: then returns the microseconds between the samples of each row of `cost-rows.ts`. */
  readonly profile: (begins: boolean) => Promise<Readonly<Record<string, number>>>
}

export interface Endpoints {
  readonly upstream: Endpoint
  /** The relay first, to which the others are compared. */
  readonly served: ReadonlyMap<Served, Endpoint>
}

const PATHS: Readonly<Record<Role, string>> = {
  upstream: '/v1/chat/completions',
  relay: '/v1/chat/completions',
  server: '/api/v1/responses',
  base: '/api/v1/responses',
}

const ROLES = fileURLToPath(new URL('roles/main.js', import.meta.url))

async function openEndpoint(role: Role, ...words: readonly string[]): Promise<Endpoint> {
  const child = forkProgram(ROLES, [role, ...words], { execArgv: ['--expose-gc'] })
  const url = new URL(PATHS[role], await nextMessage<string>(child)).href
  return {
    url,
    report: (collect = false) => ask<Report>(child, { collect }),
    profile: (begins) => ask<Readonly<Record<string, number>>>(child, { begins }),
  }
}

/** `base`: the folder of another build of the package, as `npm run build` writes it. */
export async function openEndpoints(base: string | undefined): Promise<Endpoints> {
  const upstream = await openEndpoint('upstream')
  const { origin } = new URL(upstream.url)
  const served = new Map<Served, Endpoint>([
    ['relay', await openEndpoint('relay', origin)],
    ['server', await openEndpoint('server', origin, fileURLToPath(new URL('../../src', import.meta.url)))],
  ])
  if (base !== undefined) served.set('base', await openEndpoint('base', origin, path.resolve(base)))
  return { upstream, served }
}

/** The same processes behind another path of the server. */
export const withPath = ({ upstream, served }: Endpoints, pathname: string): Endpoints => ({
  upstream,
  served: new Map(
    [...served].map(([name, one]) => [name, name === 'relay' ? one : { ...one, url: new URL(pathname, one.url).href }]),
  ),
})

/** What each server needs, by round. */
export type Measured = Readonly<Partial<Record<Served, readonly number[]>>>

/** Measures all servers in turns, and the order is reversed each round. */
export async function measureInTurns(
  { served }: Endpoints,
  rounds: number,
  measure: (endpoint: Endpoint) => Promise<number>,
): Promise<Measured> {
  const measured = new Map([...served].map(([name]): [Served, number[]] => [name, []]))
  for (let round = 0; round < rounds; round += 1)
    for (const [name, endpoint] of inTurns([...served], round)) measured.get(name)?.push(await measure(endpoint))
  return Object.fromEntries(measured)
}

/** The name of the case of a server. */
export const caseOf = (name: string, served: string): string => (served === 'base' ? caseOfBase(name) : name)

/** How many times as much as the relay each other server needs: the median of the rounds. */
export function timesTheRelay(name: string, { relay = [], ...others }: Measured): readonly Figure[] {
  return Object.entries(others).map(([served, values]) => ({
    case: caseOf(name, served),
    value: median(values.map((value, round) => value / (relay[round] as number))),
    unit: '× the relay',
  }))
}
