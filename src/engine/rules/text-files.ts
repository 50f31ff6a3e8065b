import { dropped, mapped, NO_CITATIONS, NO_FILES } from '../../protocol/loss.ts'
import type { InputPart } from '../../protocol/request.ts'
import { toBase64 } from '../../text/base64.ts'
import { fileText, fileTypeOf } from '../../wires/shared/media-types.ts'
import { DATA_URL, type FittedPart, fitParts, samePart, withoutPart } from './media.ts'
import { type Facts, fitting, type RequestRule } from './rule.ts'

type FilePart = Extract<InputPart, { readonly type: 'input_file' }>

const PLAIN = 'text/plain'

/** The types of text files that the upstream accepts; `none`: it reads no files; undefined: all, or it is not known. */
const textFilesOf = ({ wire, quirks, model }: Facts): RegExp | 'none' | undefined =>
  quirks.files === 'none' ? 'none' : wire.textFiles?.(quirks, model)

const AS_TEXT = 'this upstream does not accept files: its text is sent'

/** The text of a file in place of the file. */
function asText(part: FilePart, text: string, path: string): FittedPart {
  const { filename, cited, prompt_cache_breakpoint: end } = part
  const named = filename === null ? text : `${filename}\n\n${text}`
  return {
    part: { type: 'input_text', text: named, ...(end ? { prompt_cache_breakpoint: end } : {}) },
    losses: [cited === true ? dropped(`${path}.cited`, NO_CITATIONS) : mapped(path, AS_TEXT)],
  }
}

/** Images, sounds and videos are no documents. */
const DOCUMENT = /^(?:$|text\/|application\/)/i

/** "Unsupported MIME type: application/vnd.openxmlformats-officedocument…" (Google). */
const OFFICE = /^application\/(?!pdf$)/i

function fitFile(part: FilePart, path: string, types: RegExp | 'none', refusesOffice: boolean): FittedPart {
  const { filename, file_data: data } = part
  if (data === null) return samePart(part)
  const [head = '', given = ''] = DATA_URL.exec(data.slice(0, 1024)) ?? []
  const type = given || (fileTypeOf(filename ?? '') ?? '')
  if (!DOCUMENT.test(type) || (types !== 'none' && types.test(type))) return samePart(part)
  const text = fileText(given === '' ? `data:${type};base64,${data.slice(head.length)}` : data)
  if (types === 'none') return text === null ? withoutPart(part, path, NO_FILES) : asText(part, text, path)
  if (text === null) {
    return refusesOffice && OFFICE.test(type)
      ? withoutPart(part, path, `this upstream does not accept files of type ${type}`)
      : samePart(part)
  }
  return {
    part: { ...part, file_data: `data:${PLAIN};base64,${toBase64(text)}` },
    losses: [mapped(path, `sent as ${PLAIN}, because this upstream does not accept ${type}`)],
  }
}

/** Follows the rule that gives files their types. Google's own clients know what it accepts. */
export const textFiles: RequestRule = {
  name: 'files of text',
  subject: 'media',
  when: (facts) => textFilesOf(facts) !== undefined,
  mend(request, facts) {
    const types = textFilesOf(facts)
    const isGoogle = facts.wire.namelessFiles === true
    if (types === undefined || (facts.isOwn && isGoogle)) return fitting(request)
    return fitParts(request, (part, path) =>
      part.type === 'input_file' ? fitFile(part, path, types, isGoogle) : samePart(part),
    )
  },
}
