import type { WireName } from '../../../src/wires/contract.ts'
import type { Behaviour } from '../../mock-upstreams/server.ts'
import type { ScriptedTurn } from '../../mock-upstreams/wire-upstream.ts'
import { WIRE_UPSTREAMS } from '../../mock-upstreams/wires.ts'

/** Writes the turn up to this mark, and breaks the connection. */
export const dyingAt =
  (wire: WireName, turn: ScriptedTurn, mark: string): Behaviour =>
  (response) => {
    const { contentType, encodeTurn } = WIRE_UPSTREAMS[wire]
    const bytes = Buffer.from(encodeTurn(turn))
    response.writeHead(200, { 'content-type': contentType })
    response.write(bytes.subarray(0, bytes.indexOf(mark)), () => response.destroy())
  }

export const whole =
  (wire: WireName, turn: ScriptedTurn): Behaviour =>
  (response) => {
    const { contentType, encodeTurn } = WIRE_UPSTREAMS[wire]
    response.writeHead(200, { 'content-type': contentType }).end(encodeTurn(turn))
  }

export const refusing =
  (status: number, headers: Readonly<Record<string, string>> = {}): Behaviour =>
  (response) =>
    void response
      .writeHead(status, { 'content-type': 'application/json', ...headers })
      .end(JSON.stringify({ error: { message: 'Not this one.', type: 'other' } }))

/** Behaves as each of these in turn, and as the last one from then on. */
export function inOrder(...all: readonly [Behaviour, ...Behaviour[]]): Behaviour {
  let count = 0
  return (response, request) => {
    const behave = all[Math.min(count, all.length - 1)] ?? all[0]
    count += 1
    return behave(response, request)
  }
}

/** A whole answer of `anthropic-messages`. */
export const MESSAGE = JSON.stringify({
  id: 'msg_1',
  type: 'message',
  role: 'assistant',
  model: 'new',
  content: [{ type: 'text', text: 'Hi' }],
  stop_reason: 'end_turn',
  usage: { input_tokens: 1, output_tokens: 1 },
})
