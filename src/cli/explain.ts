import { CLIENT_NAMES } from '../alignment/named-target.ts'
import { type ExplainedRequest, explainFor, wireOf } from '../api/explain-request.ts'
import { clientNamed, type TargetName } from '../api/names.ts'
import type { Config } from '../gateway/config/config.ts'
import { parseJsonText } from '../gateway/config/config-text.ts'
import { matchesName } from '../gateway/config/model-rules.ts'
import { keylessAccounts, keylessRoute } from '../host/config/keyless-accounts.ts'
import { maskPasswords } from '../observability/mask-keys.ts'
import type { SearchPolicy } from '../search/plan.ts'
import { isNonEmptyString, isObject } from '../text/json.ts'
import { lookup } from '../text/lookup.ts'
import { VENDOR_NAMES } from '../vendors/registry.ts'
import { detectClient } from '../wires/detect-client.ts'
import { configPath, readConfigFile } from './config-file.ts'
import { readInput, shownFile } from './files/read-input.ts'
import { VENDORS_OF_NAMES } from './model-families.ts'
import { findNamed, unknownName } from './names.ts'
import { explainLines, poolLines, refusalLine } from './output/explain-lines.ts'
import { lineStyle, printable } from './output/line-style.ts'
import { STDIN, type Streams } from './streams.ts'

const DONE = 0
const FOUND = 1

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
  if (files.length === 0 && streams.stdin.isTTY === true)
    throw new Error('explain: expected a FILE, or - for the standard input, or a pipe.')
  const [file = STDIN] = files
  if (file === STDIN && options.previous === STDIN)
    throw new Error('explain: expected the standard input (-) at most once')
  const body = await readBody(file, streams)
  const client = clientOf(options, { file, body, streams })
  const previous = options.previous === undefined ? {} : { previous: await readBody(options.previous, streams) }
  const search = { search: policyOf(config) }
  const style = lineStyle(stdout, env)
  // Explanations are shared more easily than requests.
  const write = (text: string): void => void stdout.write(maskPasswords(text))
  const found: ExplainedRequest[] = []
  for (const name of names) {
    const account = findNamed('--vendor', name, known, (one) => accounts.get(one))
    const route = keylessRoute(account, wireOf(client), options.model ?? null)
    const explained = explainFor(client, route, body, { ...previous, ...search })
    const lines = explained.ok
      ? [...explainLines(explained, nameOf(client), style), ...poolLines(account, style)]
      : [refusalLine(name, explained.error.message, style)]
    if (options.json !== true) write(`${found.length === 0 ? '' : '\n'}${lines.join('\n')}\n`)
    found.push(explained)
  }
  if (options.json === true) write(`${JSON.stringify(found.length === 1 ? found[0] : found, null, 2)}\n`)
  const fails = (one: ExplainedRequest): boolean => !one.ok || (options.strict === true && one.losses.length > 0)
  return found.some(fails) ? FOUND : DONE
}

function vendorsIn(given: string | undefined): readonly string[] {
  const names = (given ?? '').split(',').map((name) => name.trim())
  const vendors = [...new Set(names.filter((name) => name !== ''))]
  if (vendors.length === 0) throw new Error(`--vendor: expected one or more of: ${VENDOR_NAMES.join(', ')}.`)
  return vendors
}

async function readBody(file: string, streams: Streams): Promise<unknown> {
  const text = (await readInput(file, streams)).toString('utf8')
  if (text.trim() === '') throw new Error(`${shownFile(file)} is empty.`)
  const parsed = parseJsonText(text)
  if (!parsed.ok) throw new Error(`${shownFile(file)} is not JSON${parsed.position}.`)
  return parsed.value
}

/** The protocols of bodies with `messages`, of which a short one shows no other member. */
const WITH_MESSAGES: readonly TargetName[] = ['openai-chat', 'anthropic-messages', 'ollama-chat']

interface ReadBody {
  readonly file: string
  readonly body: unknown
  readonly streams: Streams
}

function clientOf(options: ExplainCallOptions, { file, body, streams }: ReadBody): ReturnType<typeof clientNamed> {
  const detected = options.client ?? detectClient(body) ?? clientOfModel(options, body, streams)
  if (detected === null) {
    if (isObject(body) && isObject(body.body))
      throw new Error(`${shownFile(file)} is a recorded request. Explain its body: jq .body FILE | millrace explain -`)
    const fits = isObject(body) && Array.isArray(body.messages)
    const [fault, names] = fits ? ['fits several protocols', WITH_MESSAGES] : ['fits no protocol', CLIENT_NAMES]
    throw new Error(`${shownFile(file)} ${fault}. Pass --client with one of: ${names.join(', ')}.`)
  }
  if (!CLIENT_NAMES.includes(detected)) throw new Error(unknownName('--client', detected, CLIENT_NAMES))
  return clientNamed('--client', detected as TargetName)
}

/** The protocol of the vendor that a short body with `messages` names by its model, with a line about it; else null. */
function clientOfModel({ model: asked }: ExplainCallOptions, body: unknown, { stderr }: Streams): TargetName | null {
  if (!isObject(body) || !Array.isArray(body.messages)) return null
  const model = isNonEmptyString(body.model) ? body.model : (asked ?? '')
  const name = model.slice(model.lastIndexOf('/') + 1)
  const vendor = VENDORS_OF_NAMES.find(([pattern]) => matchesName(pattern, name))?.[1]
  const client = lookup(OF_VENDORS, vendor ?? '') ?? null
  if (client !== null)
    stderr.write(
      `millrace: ${printable(model)} is a model of ${vendor}: read as ${client}. --client chooses another protocol.\n`,
    )
  return client
}

/** The protocol with `messages` of a vendor. */
const OF_VENDORS: Readonly<Record<string, TargetName>> = { anthropic: 'anthropic-messages', openai: 'openai-chat' }

const nameOf = (client: ReturnType<typeof clientNamed>): string =>
  client.dialect === null ? client.wire.name : client.dialect.name

/** The engine of the configuration; those of the environment need their keys. */
function policyOf({ search }: Config): SearchPolicy {
  const engine = search.engine ?? null
  return { available: { defaultEngine: engine, engines: engine === null ? [] : [engine] }, config: search }
}
