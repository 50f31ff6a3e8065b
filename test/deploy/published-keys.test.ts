import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { PUBLISHED_KEYS } from '../../src/gateway/auth/published-keys.ts'
import { parseConfig } from '../../src/gateway/config/parse-config.ts'
import { start } from '../../src/host/start.ts'
import { REPOSITORY, readDeployed, readYaml, VARIABLES } from './files.ts'

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex')

/** Every text of the documents and the examples. */
const TEXTS = ['docs', 'examples', 'README.md', 'SECURITY.md', 'CONTRIBUTING.md'].flatMap((name) => {
  const at = new URL(name, REPOSITORY).pathname
  const files = name.endsWith('.md')
    ? [at]
    : readdirSync(at, { recursive: true, encoding: 'utf8' }).map((file) => path.join(at, file))
  return files
    .filter((file) => /\.(?:md|jsonc?|ya?ml|m?[jt]s|toml|cfg|service)$|Dockerfile$/.test(file))
    .map((file) => readFileSync(file, 'utf8'))
})

describe('the keys of documents and examples', () => {
  it('are refused by their hashes', () => {
    const hashes = TEXTS.flatMap((text) =>
      [...text.matchAll(/\b[\da-fA-F]{64}\b/g)].map(([hash]) => hash.toLowerCase()),
    )
    const keys = TEXTS.flatMap((text) => [
      ...[...text.matchAll(/Bearer ([\w.-]+)/g)].map(([, key = '']) => key),
      ...[...text.matchAll(/\bkey = '([^']+)'|printf %s "?([\w-]+)"? \|/g)].map(([, one, other]) => one ?? other ?? ''),
    ])
    // Words of prose, and the key of a vendor.
    const others = ['TOKEN', 'API', 'and', 'or']
    const unknown = keys.filter((key) => !others.includes(key) && !Object.hasOwn(PUBLISHED_KEYS, sha256(key)))
    expect([...new Set(unknown)]).toEqual([])
    expect(hashes.length).toBeGreaterThan(0)
    expect(hashes.filter((hash) => !Object.hasOwn(PUBLISHED_KEYS, hash))).toEqual([])
  })

  it('have the hashes of their table', () => {
    const named = Object.entries(PUBLISHED_KEYS).filter(([, key]) => !key.includes(' '))
    expect(named.length).toBeGreaterThan(3)
    expect(named.filter(([hash, key]) => sha256(key) !== hash)).toEqual([])
  })
})

describe('an example that other machines reach', () => {
  const [{ data } = { data: {} }] = readYaml('kubernetes/config.yaml') as readonly {
    readonly data: Readonly<Record<string, string>>
  }[]

  it.each([
    ['config.jsonc', readDeployed('config.jsonc')],
    ['kubernetes/config.yaml', data['config.json'] ?? ''],
  ])('has no key, shows how to make one, and is refused without one: %s', async (_, text) => {
    expect(text).toMatch(/\/\/ +\S.*\bmillrace key --name first\n/)
    const loaded = parseConfig(text, VARIABLES)
    if (!loaded.ok) throw new Error(loaded.problems.join('\n'))
    const { config } = loaded
    expect([config.listen.host, config.keys]).toEqual(['0.0.0.0', []])
    const at = { ...config, listen: { ...config.listen, port: 0 }, rate_limit: {} }
    await expect(start(at, { env: VARIABLES })).rejects.toThrow(/^listen\.host: .*millrace key/)
    // The place of the keys in the comment is one where the file accepts them.
    const own = text.replace(
      /\/\/ ("keys": .*)\.\.\./,
      (_, entry: string) => entry + sha256('key-of-a-client-of-nobody'),
    )
    expect(parseConfig(own, VARIABLES)).toMatchObject({ ok: true, config: { keys: [{ name: 'first' }] } })
  })
})
