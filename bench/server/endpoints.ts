/** The processes of the comparison: an upstream, a relay that translates nothing, and the millrace server. */
import { fileURLToPath } from 'node:url'
import { ask, forkProgram, nextMessage } from '../children.ts'

export type Served = 'relay' | 'server'
export type Role = 'upstream' | Served

export const SERVED: readonly Served[] = ['relay', 'server']

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
}

export type Endpoints = Readonly<Record<Role, Endpoint>>

const PATHS: Readonly<Record<Role, string>> = {
  upstream: '/v1/chat/completions',
  relay: '/v1/chat/completions',
  server: '/api/v1/responses',
}

const ROLES = fileURLToPath(new URL('roles/main.js', import.meta.url))

async function openEndpoint(role: Role, upstream: string): Promise<Endpoint> {
  const child = forkProgram(ROLES, [role, upstream], { execArgv: ['--expose-gc'] })
  const url = new URL(PATHS[role], await nextMessage<string>(child)).href
  return { url, report: (collect = false) => ask<Report>(child, { collect }) }
}

export async function openEndpoints(): Promise<Endpoints> {
  const upstream = await openEndpoint('upstream', '')
  const { origin } = new URL(upstream.url)
  return { upstream, relay: await openEndpoint('relay', origin), server: await openEndpoint('server', origin) }
}
