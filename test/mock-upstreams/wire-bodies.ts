import { encodeTurnAnswer, SCRIPTED_BODIES } from '../../src/testing/scripted/wire-bodies.ts'
import { withKits } from '../wires/with-kits.ts'
import { type Behaviour, nextTurn, type ReceivedRequest } from './server.ts'
import type { AnsweredRequest, ScriptedTurn, WireUpstream } from './wire-upstream.ts'

const WIRE_BODIES = withKits(SCRIPTED_BODIES, ({ bodyOf }) => bodyOf)

/** The answer to a request, in the form that it has. */
export const encodeAnswer = (upstream: WireUpstream, turn: ScriptedTurn, request: AnsweredRequest) =>
  encodeTurnAnswer(upstream, turn, request, WIRE_BODIES)

/**
 * Answers each request with the turn that `choose` returns, as a stream or as one body as the request has it, in pieces
 * of `size` bytes.
 */
export const scripted =
  (upstream: WireUpstream, choose: (request: ReceivedRequest) => ScriptedTurn, size = 61): Behaviour =>
  async (response, request) => {
    const { type, bytes } = encodeAnswer(upstream, choose(request), request)
    response.writeHead(200, { 'content-type': type })
    for (let at = 0; at < bytes.length; at += size) {
      response.write(bytes.subarray(at, at + size))
      await nextTurn()
    }
    response.end()
  }
