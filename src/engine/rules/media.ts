import { dropped, type Loss, mapped } from '../../protocol/loss.ts'
import type { InputItem, InputPart, Request } from '../../protocol/request.ts'
import { RESPONSES_WIRE } from '../../wires/contract.ts'
import { COMMON_IMAGES, endingOf, fileTypeOf, imageType } from '../../wires/shared/media-types.ts'
import { missingPartText } from '../../wires/shared/upstream/history-text.ts'
import { type Facts, type Fitted, fitting, type RequestRule } from './rule.ts'

/** A part that obeys a rule, and the losses of the change, with paths below the part. The same part: nothing changes. */
export interface FittedPart {
  readonly part: InputPart
  readonly losses: readonly Loss[]
}

type ChangePart = (part: InputPart, path: string) => FittedPart

export const samePart = (part: InputPart): FittedPart => ({ part, losses: [] })

/**
 * A note in place of a part that the upstream would refuse. It has the breakpoint of the part: the prompt before it is
 * cached all the same.
 */
export const withoutPart = (part: InputPart, path: string, why: string): FittedPart => ({
  part: {
    type: 'input_text',
    text: missingPartText(part),
    ...(part.prompt_cache_breakpoint ? { prompt_cache_breakpoint: part.prompt_cache_breakpoint } : {}),
  },
  losses: [dropped(path, why)],
})

const isText = ({ type }: InputPart): boolean => type === 'input_text'

/** Fits the parts of all messages and outputs that are no text. O(n) for n parts. */
export function fitParts(request: Request, change: ChangePart): Fitted {
  const losses: Loss[] = []
  let isSame = true
  const fitAll = (parts: readonly InputPart[], path: string): readonly InputPart[] => {
    if (parts.every(isText)) return parts
    return parts.map((given, at) => {
      const { part, losses: own } = change(given, `${path}[${at}]`)
      losses.push(...own)
      isSame &&= part === given
      return part
    })
  }
  const input = request.input.map((item, at): InputItem => {
    if (item.type === 'message' && item.role !== 'assistant')
      return { ...item, content: fitAll(item.content, `input[${at}].content`) }
    return 'output' in item ? { ...item, output: fitAll(item.output, `input[${at}].output`) } : item
  })
  return fitting(isSame ? request : { ...request, input }, ...losses)
}

/** Notes in place of the parts for which `why` has a reason. */
const withoutParts = (request: Request, why: (part: InputPart) => string | null): Fitted =>
  fitParts(request, (part, path) => {
    const reason = why(part)
    return reason === null ? samePart(part) : withoutPart(part, path, reason)
  })

// ---------------------------------------------------------------- data

export const DATA_URL = /^data:([^;,]*)((?:;[^;,]*)*),/i

/** A data URL with base64, in its parts. */
interface Base64Url {
  readonly type: string
  /** Such as `;name=a.png;base64`. */
  readonly parameters: string
  readonly data: string
}

function readBase64Url(url: string): Base64Url | null {
  const [head, type = '', parameters = ''] = DATA_URL.exec(url.slice(0, 1024)) ?? []
  return head !== undefined && /;base64$/i.test(parameters) ? { type, parameters, data: url.slice(head.length) } : null
}

/** Some programs put a whole data URL into a member for its data. */
const withoutHead = (data: string): string => (data.startsWith('data:') ? (readBase64Url(data)?.data ?? data) : data)

/** Base64 without the line breaks of its encoder (RFC 2045), which decoders of most vendors refuse. */
const inOneLine = (given: string): string => {
  const data = withoutHead(given)
  return /\s/.test(data) ? data.replace(/\s+/g, '') : data
}

const ODD = /[\s_-]/

/**
 * Base64 in one line, with the alphabet and the padding that decoders of most vendors require (RFC 4648, 4). Google's
 * clients send those of URLs.
 */
function plainBase64(given: string): string {
  const data = withoutHead(given)
  const isShort = data.length % 4 !== 0
  if (!isShort && !ODD.test(data)) return data
  const joined = inOneLine(data).replaceAll('-', '+').replaceAll('_', '/')
  const rest = joined.length % 4
  return rest < 2 ? joined : joined.padEnd(joined.length + 4 - rest, '=')
}

type MendText = (data: string) => string

/** The first bytes of the formats that upstreams accept, in the letters of base64 that do not depend on what follows. */
const FIRST_LETTERS: readonly (readonly [letters: RegExp, type: string])[] = [
  [/^iVBORw0KGgo/, 'image/png'],
  [/^\/9j\//, 'image/jpeg'],
  [/^R0lGOD/, 'image/gif'],
  // RIFF, four bytes of a length, WEBP.
  [/^UklGR.{6}XRUJQ/, 'image/webp'],
]

/** The first letters of a PDF. */
const PDF = 'JVBERi0'

function fitImage(part: Extract<InputPart, { type: 'input_image' }>, path: string, mend: MendText): FittedPart {
  const url = part.image_url === null ? null : readBase64Url(part.image_url)
  if (url === null) return samePart(part)
  const data = mend(url.data)
  const type = FIRST_LETTERS.find(([letters]) => letters.test(data))?.[1] ?? url.type
  if (data === url.data && type === url.type) return samePart(part)
  const isOther = type !== imageType(url.type)
  return {
    part: { ...part, image_url: `data:${type}${url.parameters},${data}` },
    losses: isOther ? [mapped(path, `sent as ${type}, which its bytes are, not as ${url.type}`)] : [],
  }
}

function fitData(data: string, mend: MendText): string {
  const url = readBase64Url(data)
  if (url !== null) return `data:${url.type}${url.parameters},${mend(url.data)}`
  return DATA_URL.test(data.slice(0, 1024)) ? data : mend(data)
}

const withData = (part: InputPart, mend: MendText): InputPart => {
  if (part.type === 'input_file' && part.file_data !== null) {
    const data = fitData(part.file_data, mend)
    return data === part.file_data ? part : { ...part, file_data: data }
  }
  if (part.type !== 'input_audio') return part
  const data = mend(part.data)
  return data === part.data ? part : { ...part, data }
}

/** The type that says nothing about the data. */
const ANY_BYTES = 'application/octet-stream'

/** A file without a type of its own: its first bytes show an image or a PDF, its name any other type. */
function fitFileType(part: InputPart, path: string): FittedPart {
  const url = part.type === 'input_file' && part.file_data !== null ? readBase64Url(part.file_data) : null
  if (part.type !== 'input_file' || url?.type.toLowerCase() !== ANY_BYTES) return samePart(part)
  const image = FIRST_LETTERS.find(([letters]) => letters.test(url.data))?.[1]
  const type = image ?? (url.data.startsWith(PDF) ? 'application/pdf' : fileTypeOf(part.filename ?? ''))
  if (type === undefined) return samePart(part)
  const data = `data:${type}${url.parameters},${url.data}`
  const { prompt_cache_breakpoint: end } = part
  const cached = end ? { prompt_cache_breakpoint: end } : {}
  return {
    part:
      image === undefined
        ? { ...part, file_data: data }
        : { type: 'input_image', image_url: data, detail: null, ...cached },
    losses: [mapped(path, `sent as ${type}, as its bytes or its name show`)],
  }
}

/** Whether the part has a place for data, and none in it: a screenshot that failed, an empty upload. */
function isBlank(part: InputPart): boolean {
  const data = part.type === 'input_image' ? part.image_url : part.type === 'input_file' ? part.file_data : null
  return data !== null && data.length < 1024 && data.replace(DATA_URL, '').trim() === ''
}

/** Data of images, files and sounds: plain base64, and images under the type of their bytes. */
export const mediaData: RequestRule = {
  name: 'data of media',
  subject: 'media',
  mend(request, { wire: { urlBase64 } }) {
    const mend = urlBase64 === true ? inOneLine : plainBase64
    return fitParts(request, (part, path) => {
      if (isBlank(part)) return withoutPart(part, path, 'it has no data')
      return part.type === 'input_image' ? fitImage(part, path, mend) : fitFileType(withData(part, mend), path)
    })
  },
}

/** A history keeps its images when its client changes to a model that reads none: each later turn would be refused. */
export const images: RequestRule = {
  name: 'images',
  subject: 'media',
  when: ({ model }) => model.images === false,
  mend: (request) =>
    withoutParts(request, (part) => (part.type === 'input_image' ? 'this model reads no images' : null)),
}

// ---------------------------------------------------------------- types of images

/** The media types of images that the upstream accepts; undefined: not known. */
const imageTypesOf = ({ wire, quirks }: Pick<Facts, 'wire' | 'quirks'>): readonly string[] | undefined =>
  quirks.imageTypes ?? wire.imageTypes ?? (quirks.openaiModels === true ? COMMON_IMAGES : undefined)

/** Follows the rule that gives images the type of their bytes. */
export const imageTypes: RequestRule = {
  name: 'types of images',
  subject: 'media',
  when: (facts) => imageTypesOf(facts) !== undefined,
  mend(request, facts) {
    const accepted = imageTypesOf(facts) ?? []
    return withoutParts(request, (part) => {
      const [url, type = ''] =
        part.type === 'input_image' ? (DATA_URL.exec(part.image_url?.slice(0, 1024) ?? '') ?? []) : []
      const given = type.trim().toLowerCase()
      return url === undefined || accepted.includes(imageType(given))
        ? null
        : `this upstream does not accept images of type ${given || 'unknown'}`
    })
  },
}

const ADDRESS = /^https?:/i

/** "unsupported image url" (Moonshot), "'url' field must be a base64 encoded image" (LM Studio). */
export const imageAddresses: RequestRule = {
  name: 'addresses of images',
  subject: 'media',
  when: ({ model }) => model.imageUrls === false,
  mend: (request) =>
    withoutParts(request, (part) =>
      part.type === 'input_image' && ADDRESS.test(part.image_url ?? '')
        ? 'this upstream accepts the data of an image, not its address: send a data: URL'
        : null,
    ),
}

// ---------------------------------------------------------------- names of files

/** A name for the data of a file, with the ending of its type. */
function nameFor(data: string): string {
  const [, type = ''] = DATA_URL.exec(data.slice(0, 1024)) ?? []
  const ending = endingOf(type.toLowerCase()) ?? (data.startsWith(PDF) ? 'pdf' : undefined)
  return ending === undefined ? 'document' : `document.${ending}`
}

/** The same data as a data URL. Without a known type, the data stays. */
function asDataUrl(data: string, filename: string): string {
  if (data.startsWith('data:')) return data
  const type = data.startsWith(PDF) ? 'application/pdf' : fileTypeOf(filename)
  return type === undefined ? data : `data:${type};base64,${data}`
}

/** The names that an upstream requires and refuses. */
interface FileNames {
  readonly isRequired: boolean
  readonly isResponses: boolean
}

function fitFile(part: InputPart, path: string, { isRequired, isResponses }: FileNames): FittedPart {
  if (part.type !== 'input_file') return samePart(part)
  const { filename, file_data: data, file_url: url } = part
  if (data !== null) {
    const name = isRequired && (filename ?? '') === '' ? nameFor(data) : filename
    const sent = asDataUrl(data, name ?? '')
    return samePart(name === filename && sent === data ? part : { ...part, filename: name, file_data: sent })
  }
  if (!isRequired || !isResponses || url === null || filename === null) return samePart(part)
  return {
    part: { ...part, filename: null },
    losses: [dropped(`${path}.filename`, 'this upstream accepts no name beside the address of a file')],
  }
}

/**
 * OpenAI requires a name beside the data of a file, and a data URL ("Expected a base64-encoded data URL"); the Responses
 * API refuses a name beside its address.
 */
export const files: RequestRule = {
  name: 'files',
  subject: 'media',
  when: ({ wire }) => wire.dataUrls === true,
  mend(request, { quirks, wire }) {
    const names = { isRequired: quirks.openaiModels === true, isResponses: wire.name === RESPONSES_WIRE }
    return fitParts(request, (part, path) => fitFile(part, path, names))
  },
}

/** Names that readers give to a file without one: they have nothing that its type does not have. */
const GENERAL = /^(?:file|video)(?:\.\w+)?$/

/** The name stays in the request, because it may decide the type of the data. */
export const fileNames: RequestRule = {
  name: 'names of files',
  subject: 'media',
  when: ({ wire }) => wire.namelessFiles === true,
  mend: (request, { isOwn }) =>
    isOwn
      ? fitting(request)
      : fitParts(request, (part, path) => ({
          part,
          losses:
            part.type === 'input_file' && part.filename !== null && !GENERAL.test(part.filename)
              ? [dropped(`${path}.filename`, 'this upstream has no names of files')]
              : [],
        })),
}
