import { dropped, type Loss, mapped, NO_CITATIONS } from '../../protocol/loss.ts'
import type { InputItem, InputPart, Request } from '../../protocol/request.ts'
import type { InputMember } from '../../wires/contract.ts'
import { fileText } from '../../wires/shared/media-types.ts'
import type { Pass, Passed } from './pass.ts'

type Output = Extract<InputItem, { readonly type: 'function_call_output' }>
type FilePart = Extract<InputPart, { readonly type: 'input_file' }>

const FAILED = 'Error:'

const inputText = (text: string): InputPart => ({ type: 'input_text', text })

/** The output of a failed tool begins with the word, so that the model does not take it for a result. */
function failedOutput(output: Output['output']): Output['output'] {
  const [first, ...others] = output
  return first?.type === 'input_text' && others.length === 0
    ? [inputText(`${FAILED} ${first.text}`.trim())]
    : [inputText(FAILED), ...output]
}

/** Few upstreams accept text files, so the text of a file takes its place. */
function uncited({ cited: _, ...file }: FilePart): InputPart {
  const { file_data: data, filename } = file
  const text = fileText(data ?? '')
  return text === null ? file : inputText(filename === null ? text : `${filename}\n\n${text}`)
}

const isCited = (part: { readonly type: string; readonly cited?: unknown }): boolean => part.cited === true

/** Members of the input that the wire has no field for are text, or are dropped. O(n) for n parts. */
export const plainInput: Pass = (_, { wire }) => {
  const known = wire.inputMembers ?? []
  return known.includes('failed') && known.includes('cited') ? null : { apply: (request) => toPlain(request, known) }
}

/** Whether an item has a member of one of these kinds. */
const hasMember = (item: InputItem): boolean =>
  item.type === 'function_call_output'
    ? item.failed === true || item.output.some(isCited)
    : item.type === 'message' && item.role !== 'assistant' && item.content.some(isCited)

function toPlain(request: Request, known: readonly InputMember[]): Passed {
  if (!request.input.some(hasMember)) return { ok: true, request, losses: [] }
  const losses: Loss[] = []
  const withoutCitations = (parts: readonly InputPart[], path: string): readonly InputPart[] => {
    if (known.includes('cited') || !parts.some(isCited)) return parts
    return parts.map((part, i) => {
      if (part.type !== 'input_file' || part.cited !== true) return part
      losses.push(dropped(`${path}[${i}].cited`, NO_CITATIONS))
      return uncited(part)
    })
  }
  const input = request.input.map((item, at): InputItem => {
    if (item.type === 'message' && item.role !== 'assistant') {
      const content = withoutCitations(item.content, `input[${at}].content`)
      return content === item.content ? item : { ...item, content }
    }
    if (item.type !== 'function_call_output') return item
    const output = withoutCitations(item.output, `input[${at}].output`)
    if (item.failed !== true || known.includes('failed')) return output === item.output ? item : { ...item, output }
    losses.push(mapped(`input[${at}].failed`, `sent as text: "${FAILED}" precedes the result`))
    const { failed: _, ...plain } = item
    return { ...plain, output: failedOutput(output) }
  })
  return {
    ok: true,
    request: losses.length === 0 ? request : { ...request, input },
    losses,
  }
}
