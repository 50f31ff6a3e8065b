import { writeFile } from 'node:fs/promises'
import { evaluate } from '@humanwhocodes/momoa'
import { parse as parseYaml, YAMLParseError } from 'yaml'
import { parseConfigText } from '../gateway/config/config-text.ts'
import type { Env } from '../gateway/config/secrets.ts'
import type { JsonObject } from '../protocol/json.ts'
import { isObject } from '../text/json.ts'
import { lookup } from '../text/lookup.ts'
import { readInput, shownFile, unwritable } from './files/read-input.ts'
import { claudeCodeRouter } from './import/claude-code-router.ts'
import type { FormerAddress, Importer } from './import/importer.ts'
import { litellm } from './import/litellm.ts'
import { portkey } from './import/portkey.ts'
import { createSource, type Missing } from './import/source.ts'
import { findNamed } from './names.ts'
import { plain } from './output/line-style.ts'
import type { Streams } from './streams.ts'

export interface ImportOptions {
  readonly to?: string
  readonly strict?: true
}

const IMPORTERS: Readonly<Record<string, Importer>> = {
  litellm,
  'claude-code-router': claudeCodeRouter,
  portkey,
}

const [DONE, INCOMPLETE] = [0, 1] as const

/**
 * Writes a configuration with what the file of another gateway contains, and lists on the standard error what it does
 * otherwise and what it lacks. Resolves with the exit code: with `strict`, 1 if anything is missing.
 */
export async function importConfig(
  [gateway = '', file = '', ...more]: readonly string[],
  { to, strict }: ImportOptions,
  streams: Streams,
  env: Env,
): Promise<number> {
  const importer = findNamed('import', gateway, Object.keys(IMPORTERS), (name) => lookup(IMPORTERS, name))
  if (file === '' || more.length > 0)
    throw new Error(`import: expected one file, as in millrace import ${gateway} config.yaml.`)
  const value = parsed((await readInput(file, streams)).toString(), file)
  if (!isObject(value))
    throw new Error(`${shownFile(file)} is not a configuration of ${importer.title}: expected a JSON or YAML object.`)
  if (!belongsTo(importer, value)) throw new Error(`${shownFile(file)} ${strangeFile(importer, value)}`)
  const { source, notes, missing } = createSource(value)
  const config = importer.toConfig(source, env)
  const left = missing(importer.reasons)
  const text = `${JSON.stringify(config, null, 2)}\n`
  const lists =
    listed('Done otherwise:', notes) +
    listed('Without an equivalent:', left) +
    importer.addresses(source).map(moved(config)).join('')
  if (to === undefined) streams.stdout.write(text)
  else await write(to, `${asComment(`Written by millrace import ${gateway}.\n${lists}`)}${text}`)
  streams.stderr.write(to === undefined ? lists : `${lists}Check it: millrace serve --check --config ${plain(to)}\n`)
  return strict === true && left.length > 0 ? INCOMPLETE : DONE
}

const belongsTo = ({ members }: Importer, value: object): boolean => members.some((name) => Object.hasOwn(value, name))

/** Members by which a configuration of this server is recognised. */
const OWN_MEMBERS = ['vendors', 'mounts', 'listen', 'models', 'keys']

/** Why a file is not imported: whose it looks like, and what was expected. */
function strangeFile({ title, members }: Importer, value: object): string {
  const expected = `is not a configuration of ${title}: expected ${members.slice(0, -1).join(', ')} or ${members.at(-1)}`
  const other = Object.entries(IMPORTERS).find(([, one]) => belongsTo(one, value))
  if (other !== undefined)
    return `${expected}. It looks like one of ${other[1].title}: millrace import ${other[0]} FILE.`
  return OWN_MEMBERS.some((name) => Object.hasOwn(value, name))
    ? `${expected}. It looks like one of millrace: millrace serve --config FILE.`
    : `${expected}.`
}

const DEFAULT_PORT = 8787

/** The line about a client family: the base URL that it had, and the one that it needs now. */
const moved =
  ({ listen }: JsonObject) =>
  ({ client, urls }: FormerAddress): string => {
    const port = isObject(listen) && typeof listen.port === 'number' ? listen.port : DEFAULT_PORT
    const now = `http://HOST:${port}${client === 'OpenAI' ? '/v1' : ''}`
    return `Base URL of ${client} clients: ${urls.join(' or ')} becomes ${now}\n`
  }

const listed = (title: string, lines: readonly Missing[]): string =>
  lines.length === 0
    ? ''
    : `${title}\n${lines.map(({ path, reason }) => `  ${plain(path)}: ${plain(reason)}\n`).join('')}`

const asComment = (text: string): string => text.replaceAll(/^(?=.)/gm, '// ')

/** YAML, which JSON is a part of, or JSON with comments. A message never quotes the text, which may contain secrets. */
function parsed(text: string, file: string): unknown {
  const json = parseConfigText(text)
  if (json.ok) return evaluate(json.body)
  if (/^\s*[{[]|^\s*\/[/*]/.test(text)) throw new Error(`${shownFile(file)} cannot be read: ${json.problem}.`)
  try {
    const value: unknown = parseYaml(text, { maxAliasCount: 100 })
    // An alias may stand inside of its own anchor, which no configuration needs and no JSON can express.
    JSON.stringify(value)
    return value
  } catch (error) {
    const [place] = error instanceof YAMLParseError ? (error.linePos ?? []) : []
    const where = place === undefined ? '' : ` (line ${place.line}, column ${place.col})`
    throw new Error(`${shownFile(file)} cannot be read: the file is not YAML${where}.`)
  }
}

async function write(file: string, text: string): Promise<void> {
  await writeFile(file, text, { flag: 'wx', mode: 0o600 }).catch((error) => {
    throw new Error(`--to: ${unwritable(file, error)}`)
  })
}
