import * as z from 'zod'
import type { JsonRecord } from '../../protocol/json.ts'
import type { Loss } from '../../protocol/loss.ts'
import { type InputItem, isUnaddressed } from '../../protocol/request.ts'
import { isNonEmptyString } from '../../text/json.ts'
import { FIRST_FAULT, type FieldFault, fieldFaultIn } from '../fast-parse.ts'
import { functionCallOutput } from '../items.ts'
import { flatName } from '../namespaces.ts'
import { collectUnknown } from '../unknown-fields.ts'

/** The input with its outputs matched to calls, and the fields of those outputs that are dropped; or the first mistake. */
type MatchedOutputs =
  | {
      readonly ok: true
      readonly input: readonly InputItem[]
      readonly losses: readonly Loss[]
      /** The paths of these losses. */
      readonly unsupported: ReadonlySet<string>
    }
  | { readonly ok: false; readonly fault: FieldFault }

const collectFields = collectUnknown(functionCallOutput)

const unaddressed = (item: InputItem): JsonRecord | null =>
  item.type === 'other' && isUnaddressed(item.item) ? item.item : null

/** The name that the calls of the tool have in `input`. */
const calledName = ({ name, namespace }: { readonly name?: unknown; readonly namespace?: unknown }): string | null => {
  if (!isNonEmptyString(name)) return null
  return isNonEmptyString(namespace) ? flatName(namespace, name) : name
}

/**
 * Gives each function output without a `call_id` the id of the first earlier call that has no output yet: of the call
 * with its name, or of any call if it has none (openai 7.7 made the id optional). An output without such a call stays
 * as it is. O(n).
 */
export function matchOutputs(input: readonly InputItem[]): MatchedOutputs {
  if (!input.some((item) => unaddressed(item) !== null)) return { ok: true, input, losses: [], unsupported: new Set() }
  const calls = openCalls(input)
  const losses: Loss[] = []
  const unsupported = new Set<string>()
  const matched: InputItem[] = []
  for (const [at, item] of input.entries()) {
    const output = unaddressed(item)
    if (item.type === 'function_call') calls.add(calledName(item.qualified ?? item) ?? item.name, item.call_id)
    const call_id = output === null ? null : calls.take(calledName(output))
    if (output === null || call_id === null) {
      matched.push(item)
      continue
    }
    const parsed = z.safeParse(functionCallOutput, { ...output, call_id }, FIRST_FAULT)
    if (!parsed.success) return { ok: false, fault: fieldFaultIn(parsed.error, ['input', at]) }
    collectFields(output, { losses, unsupported }, ['input', at])
    matched.push(parsed.data)
  }
  return { ok: true, input: matched, losses, unsupported }
}

interface WaitingCall {
  readonly call_id: string
  taken: boolean
}

/** The calls so far that no output with an id answers, as queues. */
function openCalls(input: readonly InputItem[]) {
  const answered = new Map<string, number>()
  for (const item of input) {
    if (item.type === 'function_call_output') answered.set(item.call_id, (answered.get(item.call_id) ?? 0) + 1)
  }
  const queues = new Map<string | null, WaitingCall[]>()
  const heads = new Map<string | null, number>()
  const push = (name: string | null, call: WaitingCall): void => {
    const queue = queues.get(name)
    if (queue === undefined) queues.set(name, [call])
    else queue.push(call)
  }
  return {
    add(name: string, call_id: string): void {
      const outputs = answered.get(call_id) ?? 0
      if (outputs > 0) {
        answered.set(call_id, outputs - 1)
        return
      }
      const call = { call_id, taken: false }
      push(name, call)
      push(null, call)
    },
    take(name: string | null): string | null {
      const queue = queues.get(name) ?? []
      let head = heads.get(name) ?? 0
      while (queue[head]?.taken === true) head += 1
      const call = queue[head]
      heads.set(name, head)
      if (call === undefined) return null
      call.taken = true
      return call.call_id
    },
  }
}
