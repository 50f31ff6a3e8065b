import { NO_FILES, NO_IMAGE_IDS } from '../../../protocol/loss.ts'
import type { CacheBreakpoint, InputPart } from '../../../protocol/request.ts'
import type { FileStyle, Quirks } from '../../quirks.ts'
import { audioRefusal } from '../../shared/upstream/audio.ts'
import { toCacheControl } from '../../shared/upstream/cache/cache-control.ts'
import { videoUrl } from '../../shared/upstream/video.ts'
import type { ChatBreakpoint, ChatPart } from '../json.ts'

type FilePart = Extract<InputPart, { readonly type: 'input_file' }>

/** The encoded part, or the reason why it cannot be carried. */
type EncodedPart = { readonly part: ChatPart } | { readonly loss: string }

const loss = (reason: string): EncodedPart => ({ loss: reason })

const nameOf = ({ filename }: FilePart): string => filename ?? 'file'

function embedded(file: FilePart): EncodedPart {
  if (file.file_data !== null) {
    return { part: { type: 'file', file: { filename: nameOf(file), file_data: file.file_data } } }
  }
  if (file.file_id !== null) return { part: { type: 'file', file: { file_id: file.file_id } } }
  return loss('this upstream accepts only the data of a file, not its URL')
}

function embeddedOrLinked(file: FilePart): EncodedPart {
  const data = file.file_data ?? file.file_url
  if (data === null) return loss('this upstream accepts only the data or the URL of a file, not its id')
  return { part: { type: 'file', file: { filename: nameOf(file), file_data: data } } }
}

function linked(file: FilePart): EncodedPart {
  const url = file.file_url ?? file.file_data
  if (url === null) return loss('this upstream accepts only the data or the URL of a file, not its id')
  const document = { type: 'document_url', document_url: url } as const
  return { part: file.filename === null ? document : { ...document, document_name: file.filename } }
}

const FILES = {
  file: embedded,
  'file-url': embeddedOrLinked,
  document_url: linked,
  none: () => loss(NO_FILES),
} satisfies Record<FileStyle, (file: FilePart) => EncodedPart>

function encodeFile(file: FilePart, { files = 'file', videoParts }: Quirks): EncodedPart {
  const url = videoParts === true ? videoUrl(file) : null
  return url === null ? FILES[files](file) : { part: { type: 'video_url', video_url: { url } } }
}

function encodeImage(url: string | null, detail: string | null): EncodedPart {
  if (url === null) return loss(NO_IMAGE_IDS)
  // Chat Completions has no `original`: the nearest detail is `high`.
  const wanted = detail === 'original' ? 'high' : detail
  return { part: { type: 'image_url', image_url: wanted === null ? { url } : { url, detail: wanted } } }
}

/** Encodes a breakpoint as a member of the part or the tool that it stands on. */
export function toBreakpoint(breakpoint: CacheBreakpoint | null | undefined, quirks: Quirks): ChatBreakpoint {
  if (!breakpoint || quirks.cacheControl === true) return toCacheControl(breakpoint)
  const { mode, ttl } = breakpoint
  return { prompt_cache_breakpoint: ttl === null ? { mode } : { mode, ttl } }
}

/** Encodes one part of a user message. */
export function encodePart(part: InputPart, quirks: Quirks): EncodedPart {
  const encoded = encodeKind(part, quirks)
  const breakpoint = part.prompt_cache_breakpoint
  if (!breakpoint || 'loss' in encoded) return encoded
  return { part: { ...encoded.part, ...toBreakpoint(breakpoint, quirks) } }
}

function encodeKind(part: InputPart, quirks: Quirks): EncodedPart {
  switch (part.type) {
    case 'input_text':
      return { part: { type: 'text', text: part.text } }
    case 'input_image':
      return encodeImage(part.image_url, part.detail)
    case 'input_file':
      return encodeFile(part, quirks)
    case 'input_audio': {
      const { data, format } = part
      const refused = audioRefusal(format, quirks)
      if (refused !== null) return loss(refused)
      return { part: { type: 'input_audio', input_audio: quirks.bareAudio === true ? data : { data, format } } }
    }
  }
}

/** Whether a part is its text, without a breakpoint. */
export const isPlainText = (part: ChatPart): part is ChatPart & { readonly type: 'text' } =>
  part.type === 'text' && part.cache_control === undefined && part.prompt_cache_breakpoint === undefined

/** Returns one string if all parts are text, because several servers do not take lists. */
export function toContent(parts: readonly ChatPart[]): string | readonly ChatPart[] {
  const texts = parts.flatMap((part) => (isPlainText(part) ? [part.text] : []))
  return texts.length === parts.length ? texts.join('\n') : parts
}
