import { describe, expect, it } from 'vitest'
import type { Json } from '../../../src/protocol/json.ts'
import { sealReasoning } from '../../../src/responses/encrypted-content.ts'
import type { Behaviour } from '../../mock-upstreams/server.ts'
import { json, KEY, post, sha256, startTestServer } from '../test-server.ts'

/** Encrypted reasoning on its way to the client and back to the upstream. */

const DETAILS = [{ type: 'reasoning.encrypted', data: 'secret-thought', index: 0 }]

const thinking: Behaviour = (response) => {
  const message = { role: 'assistant', content: 'Hi', reasoning_details: DETAILS }
  response.writeHead(200, { 'content-type': 'application/json' })
  response.end(JSON.stringify({ model: 'mock-1', choices: [{ index: 0, message, finish_reason: 'stop' }] }))
}

async function conversation(config: object) {
  const server = await startTestServer(thinking, config, {}, { reasoningHistory: 'reasoning_details' })
  const ask = (input: unknown, key = KEY) =>
    post(server.url, { model: 'acme/mock-1', input }, { headers: { authorization: `Bearer ${key}` } })
  const { output } = await json(await ask('Hello'))
  const [reasoning] = output
  const goOn = async (encrypted_content: string, key?: string) => {
    const response = await ask(
      [
        { role: 'user', content: 'Hello' },
        { ...reasoning, encrypted_content },
        output[1],
        { role: 'user', content: 'More' },
      ],
      key,
    )
    const messages = server.upstream.received.at(-1)?.body.messages as { reasoning_details?: unknown }[]
    return [messages[1]?.reasoning_details, response.headers.get('x-responses-losses')]
  }
  return { sealed: reasoning.encrypted_content as string, goOn }
}

const changed = (text: string, at: number): string =>
  `${text.slice(0, at)}${text[at] === 'A' ? 'B' : 'A'}${text.slice(at + 1)}`

describe('encrypted reasoning', () => {
  it('returns to its vendor unchanged', async () => {
    const { sealed, goOn } = await conversation({})
    expect(await goOn(sealed)).toEqual([DETAILS, null])
  })

  it("is signed with the server's secret, and dropped if it was changed", async () => {
    const { sealed, goOn } = await conversation({ encrypted_content_secret: 'of this house' })
    expect(await goOn(sealed)).toEqual([DETAILS, null])
    for (const at of [10, sealed.length - 1]) {
      expect(await goOn(changed(sealed, at))).toEqual([undefined, 'input[1] dropped'])
    }
    const { sealed: ofAnother } = await conversation({})
    expect(await goOn(ofAnother)).toEqual([undefined, 'input[1] dropped'])
  })

  it('is dropped if the client made it itself, even if no secret is configured', async () => {
    const { goOn } = await conversation({})
    const forged = sealReasoning({ wire: 'openai-chat', vendor: 'acme', model: 'mock-1' }, DETAILS as unknown as Json)
    expect(await goOn(forged)).toEqual([undefined, 'input[1] dropped'])
    expect(await goOn(`${forged}.${'0'.repeat(64)}`)).toEqual([undefined, 'input[1] dropped'])
  })

  it('is accepted only from keys of the same workspace', async () => {
    const keys = [
      { name: 'one', sha256: sha256(KEY), workspace: 'a' },
      { name: 'same', sha256: sha256('key-of-a-colleague'), workspace: 'a' },
      { name: 'other', sha256: sha256('key-of-a-stranger'), workspace: 'b' },
    ]
    const workspaces = [{ id: 'a', default: true }, { id: 'b' }]
    const { sealed, goOn } = await conversation({ keys, workspaces, encrypted_content_secret: 'of this house' })
    expect(await goOn(sealed, 'key-of-a-colleague')).toEqual([DETAILS, null])
    expect(await goOn(sealed, 'key-of-a-stranger')).toEqual([undefined, 'input[1] dropped'])
  })
})
