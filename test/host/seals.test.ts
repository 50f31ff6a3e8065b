import { describe, expect, it } from 'vitest'
import { json, openHouse, post } from './harness.ts'
import type { Behaviour } from './mock-upstream.ts'

/** Encrypted reasoning on its way to the client and back. */

const DETAILS = [{ type: 'reasoning.encrypted', data: 'secret-thought', index: 0 }]

const thinking: Behaviour = (response) => {
  const message = { role: 'assistant', content: 'Hi', reasoning_details: DETAILS }
  response.writeHead(200, { 'content-type': 'application/json' })
  response.end(JSON.stringify({ model: 'mock-1', choices: [{ index: 0, message, finish_reason: 'stop' }] }))
}

async function conversation(config: object) {
  const house = await openHouse(thinking, config, {}, { reasoningHistory: 'reasoning_details' })
  const ask = (input: unknown) => post(house.url, { model: 'acme/mock-1', input })
  const { output } = await json(await ask('Hello'))
  const [reasoning] = output
  const goOn = async (encrypted_content: string) => {
    const response = await ask([
      { role: 'user', content: 'Hello' },
      { ...reasoning, encrypted_content },
      output[1],
      { role: 'user', content: 'More' },
    ])
    const messages = house.upstream.heard.at(-1)?.body.messages as { reasoning_details?: unknown }[]
    return [messages[1]?.reasoning_details, response.headers.get('x-responses-losses')]
  }
  return { sealed: reasoning.encrypted_content as string, goOn }
}

const changed = (text: string, at: number): string =>
  `${text.slice(0, at)}${text[at] === 'A' ? 'B' : 'A'}${text.slice(at + 1)}`

describe('encrypted reasoning', () => {
  it('comes back to its vendor as it was', async () => {
    const { sealed, goOn } = await conversation({})
    expect(await goOn(sealed)).toEqual([DETAILS, null])
  })

  it('is signed with the secret of the server, and not sent on when it was changed', async () => {
    const { sealed, goOn } = await conversation({ encrypted_content_secret: 'of this house' })
    expect(await goOn(sealed)).toEqual([DETAILS, null])
    for (const at of [10, sealed.length - 1]) {
      expect(await goOn(changed(sealed, at))).toEqual([undefined, 'input[1] dropped'])
    }
    const { sealed: unsigned } = await conversation({})
    expect(await goOn(unsigned)).toEqual([undefined, 'input[1] dropped'])
  })
})
