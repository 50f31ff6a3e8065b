import { dropped, mapped } from '../../protocol/loss.ts'
import type { InputPart } from '../../protocol/request.ts'
import { fitParts, samePart } from './media.ts'
import { fitting, type RequestRule } from './rule.ts'

/** An image is no document, also in the form of a file. */
const isDocument = (part: InputPart): part is Extract<InputPart, { readonly type: 'input_file' }> =>
  part.type === 'input_file' && part.file_data?.startsWith('data:image/') !== true

/**
 * "Citations are incompatible with structured outputs", "citations must be enabled on all or none of the document blocks"
 * (Claude).
 */
export const citations: RequestRule = {
  name: 'citations',
  subject: 'media',
  when: ({ wire, model: { family = 'claude' } }) =>
    family === 'claude' && wire.inputMembers?.includes('cited') === true,
  mend(request) {
    let cited = 0
    let all = 0
    fitParts(request, (part) => {
      if (isDocument(part)) {
        all += 1
        if (part.cited === true) cited += 1
      }
      return samePart(part)
    })
    const isFormatted = (request.text?.format?.type ?? 'text') !== 'text'
    if (cited === 0 || (cited === all && !isFormatted)) return fitting(request)
    return fitParts(request, (part, path) => {
      if (!isDocument(part) || (part.cited === true) !== isFormatted) return samePart(part)
      const { cited: _, ...plain } = part
      return isFormatted
        ? { part: plain, losses: [dropped(`${path}.cited`, 'this upstream refuses citations beside a JSON format')] }
        : { part: { ...part, cited: true }, losses: [mapped(`${path}.cited`, 'turned on, as for other documents')] }
    })
  },
}
