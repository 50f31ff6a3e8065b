import { type Loss, mapped } from '../../protocol/loss.ts'
import type { InputItem, InputPart } from '../../protocol/request.ts'
import { isToolCall, isToolOutput } from './items.ts'
import { fitting, type RequestRule } from './rule.ts'
import { keepTools } from './tools.ts'

const text = (words: string): InputPart => ({ type: 'input_text', text: words })

/** A call is a text of the answer, and its output one of the user. Other items have no names. */
function asText(item: InputItem, names: ReadonlyMap<string, string>): InputItem | null {
  if (isToolCall(item)) {
    const input = item.type === 'function_call' ? item.arguments : item.input
    const words = `[call of ${item.name}: ${input}]`
    return { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: words }] }
  }
  if (!isToolOutput(item)) return null
  const what = item.type === 'function_call_output' && item.failed === true ? 'error' : 'result'
  const head = text(`[${what} of ${names.get(item.call_id) ?? 'a tool'}]`)
  return { type: 'message', role: 'user', content: [head, ...item.output] }
}

/**
 * "This model doesn't support tool use" (Bedrock), "does not support tools" (Ollama), also for calls of the history. Server
 * tools stay: some models of Gemini search without functions.
 */
export const noTools: RequestRule = {
  name: 'functions',
  when: ({ model }) => model.tools === false,
  mend(request) {
    const { input, tools, tool_choice: choice } = request
    const hosted = [...tools.keys()].filter((at) => tools[at]?.type === 'hosted')
    const names = new Map(input.flatMap((item) => (isToolCall(item) ? [[item.call_id, item.name] as const] : [])))
    if (hosted.length === tools.length && names.size === 0) return fitting(request)
    const isHosted = typeof choice === 'object' && choice?.type === 'hosted'
    const bare = { ...request, tool_choice: isHosted ? choice : null, parallel_tool_calls: null }
    const fitted = keepTools(bare, hosted, 'this model calls no functions')
    const losses: Loss[] = [...fitted.losses]
    const texts = input.map((item, at): InputItem => {
      const words = asText(item, names)
      if (words !== null) losses.push(mapped(`input[${at}]`, 'sent as text, because this model calls no functions'))
      return words ?? item
    })
    return { ...fitted, request: { ...fitted.request, input: texts }, losses }
  },
}
