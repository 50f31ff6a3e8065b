import type { InputItem, Request } from '../../protocol/request.ts'
import { toTurns } from '../../wires/shared/upstream/conversation.ts'

/** The indices of outputs whose calls are not in the input. */
const orphansIn = ({ input }: Request): ReadonlySet<number> =>
  new Set(toTurns(input).flatMap((turn) => (turn.kind === 'orphan' ? [turn.at] : [])))

/** A call without an output is a fragment as well: its output is counted with a later request. */
const hasOpenCall = ({ input }: Request): boolean =>
  toTurns(input).some((turn) => turn.kind === 'assistant' && turn.outputs.length < turn.calls.length)

/** Whether the request is a part of a conversation, which its upstream may refuse to count. */
export function isFragment(request: Request): boolean {
  const [first] = request.input
  const begins = first?.type === 'message' && first.role !== 'assistant'
  return !begins || hasOpenCall(request) || orphansIn(request).size > 0
}

const PROMPT: InputItem = { type: 'message', role: 'user', content: [{ type: 'input_text', text: '…' }] }

const callOf = ({ call_id }: { readonly call_id: string }): InputItem => ({
  type: 'function_call',
  call_id,
  name: 'tool',
  arguments: '{}',
})

/** The same request as a conversation that every wire can encode: a prompt, and a call before each output. */
export function completeFragment(request: Request): Request {
  const orphans = orphansIn(request)
  const input = request.input.flatMap((item, at) =>
    orphans.has(at) && 'call_id' in item ? [callOf(item), item] : [item],
  )
  return { ...request, input: input.length === 0 ? [PROMPT] : input }
}
