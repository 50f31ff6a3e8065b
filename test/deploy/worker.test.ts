import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { expect, it } from 'vitest'
import { importProgram } from '../docs/programs.ts'
import { DEPLOY, readDeployed, VARIABLES } from './files.ts'

type Handle = (request: Request, env: Readonly<Record<string, string>>) => Promise<Response>

const settings = readDeployed('workers/wrangler.toml')

it('the Worker answers with the variables and secrets that wrangler.toml names', async () => {
  const [, main = ''] = /^main = "(.*)"$/m.exec(settings) ?? []
  expect(existsSync(new URL(`workers/${main}`, DEPLOY))).toBe(true)
  const { default: worker } = await importProgram(readDeployed(`workers/${main}`), {})
  const { fetch: handle } = worker as { readonly fetch: Handle }
  const key = 'key-of-the-worker'
  const named = [...settings.matchAll(/^(?:# npx wrangler secret put )?([A-Z_\d]+)(?: = ""|)$/gm)].map(
    ([, name]) => name,
  )
  const secrets = [...settings.matchAll(/secret put (\w+)/g)].map(([, name]) => name)
  expect(secrets).toEqual(['OPENAI_API_KEY', 'ENCRYPTED_CONTENT_SECRET'])
  const env = { ...VARIABLES, CLIENT_KEY_SHA256: createHash('sha256').update(key).digest('hex') }
  expect(Object.keys(env)).toEqual(expect.arrayContaining(named))
  const request = (authorization: string): Request =>
    new Request('https://gateway.example/openai/v1/responses', {
      method: 'POST',
      headers: { authorization, 'content-type': 'application/json' },
      body: JSON.stringify({ model: 7, input: 'Hi' }),
    })
  expect((await handle(request('Bearer of-nobody'), env)).status).toBe(401)
  const answer = await handle(request(`Bearer ${key}`), env)
  expect([answer.status, ((await answer.json()) as { error: { param: string } }).error.param]).toEqual([400, 'model'])
})
