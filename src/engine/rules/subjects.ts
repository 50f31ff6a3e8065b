import type { InputItem, InputPart, Request } from '../../protocol/request.ts'
import { isAnswer, isPrompt, isSystem, isToolCall, isToolOutput } from './items.ts'

/** The parts of requests that some rules are about. A request without them keeps these rules, which need not read it. */
export interface Subjects {
  /** Calls, or their outputs. */
  readonly calls: boolean
  /** Parts of prompts and outputs that are no text. */
  readonly media: boolean
  readonly system: boolean
  readonly answers: boolean
  /** Answers, or calls. */
  readonly turns: boolean
  readonly tools: boolean
  /** A format of the answer other than text. */
  readonly format: boolean
  /** Tools, or a format. */
  readonly schemas: boolean
}

export type Subject = keyof Subjects

const isText = ({ type }: InputPart): boolean => type === 'input_text'

const partsOf = (item: InputItem): readonly InputPart[] =>
  isPrompt(item) ? item.content : 'output' in item ? item.output : NO_PARTS

const NO_PARTS: readonly InputPart[] = []

/** Reads a request once for all rules. O(n) for n parts. */
export function subjectsOf({ input, tools: { length }, text }: Request): Subjects {
  let [calls, media, system, answers] = [false, false, false, false]
  for (const item of input) {
    if (isAnswer(item)) answers = true
    else if (isToolCall(item)) calls = true
    else {
      calls ||= isToolOutput(item)
      system ||= isSystem(item)
      media ||= !partsOf(item).every(isText)
    }
  }
  const tools = length > 0
  const format = (text?.format?.type ?? 'text') !== 'text'
  return { calls, media, system, answers, turns: answers || calls, tools, format, schemas: tools || format }
}
