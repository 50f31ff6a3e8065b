import { readFile } from 'node:fs/promises'
import { text } from 'node:stream/consumers'
import { TARGET_NAMES } from '../alignment/named-target.ts'
import { type ExplainedRequest, explainFor, wireOf } from '../api/explain-request.ts'
import { clientNamed, type NamedClient, type TargetName } from '../api/names.ts'
import type { Config } from '../gateway/config/config.ts'
import { keylessAccounts, keylessRoute } from '../gateway/config/keyless-accounts.ts'
import type { SearchPolicy } from '../search/plan.ts'
import { parseJson } from '../text/json.ts'
import { VENDOR_NAMES } from '../vendors/registry.ts'
import { detectClient } from '../wires/detect-client.ts'
import { configPath, readConfigFile } from './config-file.ts'
import { explainLines, refusalLine } from './explain-lines.ts'
import { findNamed, unknownName } from './names.ts'
import { hasColours } from './program/terminal.ts'
import { STDIN, type Streams } from './streams.ts'
import type { LineStyle } from './trace-lines.ts'

const DONE = 0
const FOUND = 1
const DEFAULT_WIDTH = 120

/** The options of the command; their help has the meanings. */
export interface ExplainCallOptions {
  readonly vendor?: string
  readonly client?: string
  readonly model?: string
  readonly previous?: string
  readonly config?: string
  readonly json?: boolean
  readonly strict?: boolean
}

/**
 * Explains a request for each vendor. Exit code 1: a vendor cannot receive the request; with `strict` also if it causes
 * a loss.
 */
export async function explain(
  files: readonly string[],
  options: ExplainCallOptions,
  streams: Streams = process,
  env: NodeJS.ProcessEnv = process.env,
): Promise<number> {
  const { stdout } = streams
  const config = await readConfigFile(options.config === undefined ? '' : configPath(options.config, env))
  const names = vendorsIn(options.vendor)
  const accounts = keylessAccounts(config, names, env)
  const known = [...new Set([...Object.keys(config.vendors), ...VENDOR_NAMES])]
  const [file = STDIN] = files
  if (file === STDIN && options.previous === STDIN)
    throw new Error('explain: expected the standard input (-) at most once')
  const body = await readBody(file, streams)
  const client = clientOf(options.client, body)
  const previous = options.previous === undefined ? {} : { previous: await readBody(options.previous, streams) }
  const search = { search: policyOf(config) }
  const style = styleOf(stdout, env)
  const found: ExplainedRequest[] = []
  for (const name of names) {
    const account = findNamed('--vendor', name, known, (one) => accounts.get(one))
    const route = keylessRoute(account, wireOf(client), options.model ?? null)
    const explained = explainFor(client, route, body, { ...previous, ...search })
    const lines = explained.ok
      ? explainLines(explained, nameOf(client), style)
      : [refusalLine(name, explained.error.message, style)]
    if (options.json !== true) stdout.write(`${found.length === 0 ? '' : '\n'}${lines.join('\n')}\n`)
    found.push(explained)
  }
  if (options.json === true) stdout.write(`${JSON.stringify(found.length === 1 ? found[0] : found, null, 2)}\n`)
  const fails = (one: ExplainedRequest): boolean => !one.ok || (options.strict === true && one.losses.length > 0)
  return found.some(fails) ? FOUND : DONE
}

function vendorsIn(given: string | undefined): readonly string[] {
  const names = (given ?? '').split(',').map((name) => name.trim())
  const vendors = [...new Set(names.filter((name) => name !== ''))]
  if (vendors.length === 0) throw new Error(`--vendor is missing. Expected one or more of: ${VENDOR_NAMES.join(', ')}.`)
  return vendors
}

async function readBody(file: string, { stdin }: Streams): Promise<unknown> {
  let read: string
  try {
    read = file === STDIN ? await text(stdin) : await readFile(file, 'utf8')
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new Error(
      `explain: "${file}" cannot be read: ${reason}. Name the file of a request body, or - for the standard input.`,
    )
  }
  const body = parseJson(read.replace(/^\ufeff/, ''))
  if (body === undefined) throw new Error(`explain: "${file}" is not JSON. Expected the body of a request.`)
  return body
}

function clientOf(given: string | undefined, body: unknown): NamedClient {
  const detected = given ?? detectClient(body)
  if (detected === null)
    throw new Error(
      `--client is missing, and the body fits several protocols. Expected one of: ${TARGET_NAMES.join(', ')}.`,
    )
  if (!TARGET_NAMES.includes(detected)) throw new Error(unknownName('--client', detected, TARGET_NAMES))
  return clientNamed('--client', detected as TargetName)
}

const nameOf = (client: NamedClient): string => (client.dialect === null ? client.wire.name : client.dialect.name)

/** The engine of the configuration; those of the environment need their keys. */
function policyOf({ search }: Config): SearchPolicy {
  const engine = search.engine ?? null
  return { available: { defaultEngine: engine, engines: engine === null ? [] : [engine] }, config: search }
}

const styleOf = (stdout: Streams['stdout'], env: NodeJS.ProcessEnv): LineStyle => ({
  width: stdout.isTTY === true ? (stdout.columns ?? DEFAULT_WIDTH) : DEFAULT_WIDTH,
  colours: hasColours(stdout, env),
})
