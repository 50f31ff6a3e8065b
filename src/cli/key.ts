import { hash, randomBytes } from 'node:crypto'
import { text } from 'node:stream/consumers'
import { STDIN, type Streams } from './streams.ts'

export interface KeyOptions {
  /** Default: `client`. */
  readonly name?: string
  readonly json?: boolean
}

const KEY_BYTES = 24

/** The entry of the configuration for a key. */
export interface KeyLine {
  readonly name: string
  readonly sha256: string
}

const entryOf = (name: string, key: string): KeyLine => ({ name, sha256: hash('sha256', key) })

/** A random key for a client, with its entry in the configuration. */
export function createKey(name: string): { readonly key: string; readonly entry: KeyLine } {
  const key = `mr-${randomBytes(KEY_BYTES).toString('hex')}`
  return { key, entry: entryOf(name, key) }
}

/** Prints a new key with its entry in the configuration; for `-`, the hash of the key on the standard input. */
export async function makeKey(
  [given]: readonly string[],
  { name = 'client', json = false }: KeyOptions,
  { stdin, stdout }: Streams,
): Promise<number> {
  if (given !== undefined && given !== STDIN)
    throw new Error('key: expected - for a key on the standard input, because other users can list arguments.')
  if (name.trim() === '') throw new Error('--name: expected the name of the key, got no characters.')
  const key = given === STDIN ? (await text(stdin)).replace(/\r?\n$/, '') : createKey(name).key
  if (key === '') throw new Error('key: the standard input has no key.')
  if (!/^[!-~]+$/.test(key))
    throw new Error('key: expected one key of visible ASCII characters, because a header carries it.')
  const entry = entryOf(name, key)
  const isNew = given === undefined
  if (json) stdout.write(`${JSON.stringify({ ...(isNew ? { key } : {}), ...entry })}\n`)
  else if (isNew) stdout.write(newKey(key, entry))
  else stdout.write(`${entry.sha256}\n`)
  return 0
}

const newKey = (key: string, entry: KeyLine): string => `${key}

The client sends it; it is not shown again:
  Authorization: Bearer ${key}

The configuration has its hash, with one entry for each client:
  "keys": [
    ${JSON.stringify(entry)}
  ]
`
