import { existsSync, readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { checkConfigValue } from '../../src/gateway/config/parse-config.ts'
import { ERROR_CODES } from '../../src/protocol/error-codes.ts'

/** Checks that everything named in SECURITY.md and docs/deployment.md exists. */

const ROOT = new URL('../../', import.meta.url)
const read = (file: string): string => readFileSync(new URL(file, ROOT), 'utf8')
const SECURITY = read('SECURITY.md')
const DEPLOY = read('docs/deployment.md')

it.each(['Reporting', 'Threat model', 'Limits', 'Secrets', 'Browsers', 'Running it', 'Checked by'])(
  'SECURITY.md has a section about %s',
  (title) => {
    expect(SECURITY).toContain(`\n## ${title}\n`)
  },
)

it('SECURITY.md names only existing commands, tests, pages and error codes', () => {
  const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> }
  const commands = [...SECURITY.matchAll(/npm run ([\w:]+)/g)].map(([, name = '']) => name)
  expect(commands).toEqual(expect.arrayContaining(['fuzz', 'check', 'test:blocked']))
  for (const name of commands) expect(Object.keys(scripts)).toContain(name)
  const files = [...SECURITY.matchAll(/\]\(([\w/.-]+)(?:#[\w-]+)?\)|vitest run (\S+)/g)].map(
    ([, link, test]) => link ?? test ?? '',
  )
  expect(files.length).toBeGreaterThan(2)
  for (const file of files) expect(existsSync(new URL(file, ROOT)), file).toBe(true)
  for (const [, code = ''] of SECURITY.matchAll(/`(\w+)` \(\d{3}/g)) expect(Object.keys(ERROR_CODES)).toContain(code)
})

it('SECURITY.md and docs/deployment.md name only existing settings', () => {
  const loaded = checkConfigValue({ rate_limit: { redis: { url: 'redis://a.example' } } })
  if (!loaded.ok) throw new Error(loaded.problems.join('\n'))
  const named = [
    ...`${SECURITY}${DEPLOY}`.matchAll(/`((?:listen|drain|metrics|rate_limit|limits|connections)\.[\w.]+)`/g),
  ]
  const paths = named.map(([, path = '']) => path)
  expect(paths).toEqual(expect.arrayContaining(['listen.origins', 'listen.hosts', 'metrics.management_key']))
  for (const path of paths) expect(loaded.config, path).toHaveProperty(path)
})

it.each(['without root', 'TLS', 'mode 0600'])('docs/deployment.md describes how to run the server: %s', (subject) => {
  expect(DEPLOY.toLowerCase()).toContain(subject.toLowerCase())
})
