import type { InputItem, InputPart, Request } from '../../protocol/request.ts'
import { OpenCallIds } from '../../wires/shared/open-call-ids.ts'
import { isAnswer, isPrompt, isSystem, isToolCall, isToolOutput } from './items.ts'

/** The parts of requests that some rules are about. A request without them keeps these rules, which need not read it. */
interface Subjects {
  /** Calls, or their outputs. */
  readonly calls: boolean
  /** Calls and outputs in another order than the usual one: some calls, and then directly one output of each. */
  readonly unusualCalls: boolean
  /** Parts of prompts and outputs that are no text. */
  readonly media: boolean
  readonly system: boolean
  readonly answers: boolean
  /** Answers, calls, or reasoning. */
  readonly turns: boolean
  readonly tools: boolean
  /** A format of the answer other than text. */
  readonly format: boolean
  /** Tools, or a format. */
  readonly schemas: boolean
  /** Of users, or a key of the cache. */
  readonly identifiers: boolean
}

export type Subject = keyof Subjects

const isText = ({ type }: InputPart): boolean => type === 'input_text'

const partsOf = (item: InputItem): readonly InputPart[] =>
  isPrompt(item) ? item.content : 'output' in item ? item.output : NO_PARTS

const NO_PARTS: readonly InputPart[] = []

/** Compares calls and outputs with the usual order. */
class CallOrder {
  isUnusual = false
  private readonly waiting = new OpenCallIds()
  private isAnswered = false

  call(id: string): void {
    if (this.isAnswered) this.end()
    this.isUnusual ||= !this.waiting.add(id)
  }

  output(id: string): void {
    this.isAnswered = true
    this.isUnusual ||= !this.waiting.take(id)
  }

  /** Another item follows, or none. */
  end(): void {
    this.isAnswered = false
    if (this.waiting.size > 0) this.isUnusual = true
  }
}

/** Reads a request once for all rules. O(n) for n parts. */
export function subjectsOf(request: Request): Subjects {
  const { input, tools, text, user, safety_identifier, prompt_cache_key } = request
  let calls = false
  let media = false
  let system = false
  let answers = false
  let reasoning = false
  const order = new CallOrder()
  for (const item of input) {
    if (isToolCall(item)) {
      calls = true
      order.call(item.call_id)
      continue
    }
    if (isToolOutput(item)) {
      calls = true
      order.output(item.call_id)
    } else order.end()
    if (isAnswer(item)) answers = true
    else if (item.type === 'reasoning') reasoning = true
    else {
      system ||= isSystem(item)
      media ||= !partsOf(item).every(isText)
    }
  }
  order.end()
  const hasTools = tools.length > 0
  const format = (text?.format?.type ?? 'text') !== 'text'
  return {
    calls,
    unusualCalls: order.isUnusual,
    media,
    system,
    answers,
    turns: answers || calls || reasoning,
    tools: hasTools,
    format,
    schemas: hasTools || format,
    identifiers: user !== null || safety_identifier !== null || prompt_cache_key !== null,
  }
}
