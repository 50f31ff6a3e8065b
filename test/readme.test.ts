import { execFile } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { openai } from '../src/dialects/openai.ts'
import { parseConfig } from '../src/host/load-config.ts'
import * as frontDoor from '../src/index.ts'

const ROOT = new URL('../', import.meta.url)
const README = readFileSync(new URL('README.md', ROOT), 'utf8')
const HELLO = readFileSync(new URL('fixtures/openai-chat/hello.stream.sse', ROOT))

/** The block of code that follows the mark `<!-- name -->`. */
const block = (name: string): string => README.split(`<!-- ${name} -->\n`)[1]?.split(/```\w*\n/)[1] ?? ''

const KEY = 'key-of-nobody'
const WRONG_KEY =
  '{"error":{"message":"Incorrect API key provided: wrong. You can find your API key in your account.",' +
  '"type":"invalid_request_error","param":null,"code":"invalid_api_key"}}'

const upstream = createServer((incoming, response) => {
  incoming.resume()
  if (incoming.headers.authorization === `Bearer ${KEY}`) {
    response.writeHead(200, { 'content-type': 'text/event-stream' }).end(HELLO)
  } else response.writeHead(401, { 'content-type': 'application/json' }).end(WRONG_KEY)
})
beforeAll(() => new Promise<void>((resolve) => upstream.listen(0, '127.0.0.1', resolve)))
afterAll(() => new Promise((resolve) => upstream.close(resolve)))

/** What the embedding prints, word for word but for the address. */
async function embedWith(key: string | undefined): Promise<string> {
  const { port } = upstream.address() as AddressInfo
  const folder = await mkdtemp(path.join(tmpdir(), 'millrace-readme-'))
  try {
    const file = path.join(folder, 'embed.mjs')
    const text = block('embed')
      .replace("'millrace'", JSON.stringify(new URL('src/index.ts', ROOT)))
      .replace('https://api.openai.com', `http://127.0.0.1:${port}`)
    await writeFile(file, text)
    const { OPENAI_API_KEY: _, ...others } = process.env
    const env = key === undefined ? others : { ...others, OPENAI_API_KEY: key }
    const { stdout } = await promisify(execFile)(process.execPath, ['--import', 'tsx', file], { cwd: ROOT, env })
    return stdout
  } finally {
    await rm(folder, { recursive: true })
  }
}

it('its embedding runs', async () => {
  const stdout = await embedWith(KEY)
  expect(stdout).toContain('"status":"completed"')
  expect(frontDoor.checkStream(stdout, openai)).toEqual([])
})

it.each([
  ['a wrong key', 'wrong'],
  ['a forgotten key', undefined],
])('its embedding ends with the error of the vendor for %s', async (_, key) => {
  const stdout = await embedWith(key)
  expect(stdout).toContain('"type":"response.failed"')
  expect(stdout).toContain('HTTP 401: Incorrect API key provided')
  expect(stdout).not.toContain('upstream_truncated')
  expect(frontDoor.checkStream(stdout, openai)).toEqual([])
})

it('its configuration is one', () => {
  expect(parseConfig(block('config'))).toMatchObject({ ok: true })
})

it('its table of vendors has all of them', () => {
  const rows = frontDoor.VENDOR_NAMES.map((name) => {
    const { wire, keyVariable, baseUrl } = frontDoor.findVendor(name) as frontDoor.Vendor
    return `| \`${name}\` | \`${wire}\` | ${keyVariable === null ? 'none' : `\`${keyVariable}\``} | ${baseUrl === null ? 'yours' : `\`${baseUrl}\``} |`
  })
  const section = README.split('\n## Vendors\n')[1]?.split('\n## ')[0] ?? ''
  expect(section.split('\n').filter((line) => line.startsWith('| `'))).toEqual(rows)
})

it('its list of recordings has all of them', () => {
  const recordings = readdirSync(new URL('fixtures/openai-chat/', ROOT)).flatMap(
    (file) => /^(.*)\.stream\.sse$/.exec(file)?.[1] ?? [],
  )
  const told = [...README.matchAll(/^\| `replay\/([\w-]+)` \|/gm)].map(([, name]) => name)
  expect(told.toSorted()).toEqual(recordings.toSorted())
})

it('the files it names are there', () => {
  const named = [...README.matchAll(/`((?:src|test|schema|bench|\.ci)\/[\w./-]+)`/g)].map(([, file]) => file as string)
  const missing = named.filter((file) => !file.includes('/D.ts') && !existsSync(new URL(file, ROOT)))
  expect(named.length).toBeGreaterThan(20)
  expect(missing).toEqual([])
})

it('its table of losses is the one that was measured', () => {
  const table = README.split('<!-- losses -->\n')[1]?.split('<!-- end of losses -->')[0]
  expect(table).toBe(readFileSync(new URL('test/loss-table.md', ROOT), 'utf8'))
})
