import type { JsonObject } from '../protocol/json.ts'
import { MAX_LENGTHS } from '../protocol/limits.ts'
import { OWN_NAMESPACE } from '../targets/front-end.ts'
import { isObject, parseJson } from '../text/json.ts'
import { describeValue, pathIn } from '../validation/messages.ts'
import type { GivenCall, GivenFilePart, GivenMessage, GivenResult, GivenText } from './contract.ts'
import { isTooDeep } from './files.ts'
import { PromptItems } from './input-items.ts'

/* The parts of conversations that interfaces send back, as those of a prompt. */

/** The conversation of an interface as the input of a request. */
export interface ReadThread {
  readonly input: readonly JsonObject[]
  /** Parts that the input has no item for, with the reason, and values that are not as expected, with their place. */
  readonly warnings: readonly string[]
}

/** Files that are stored at a vendor are named without it. */
const STORED_BY = ''

const UPSTREAM = { providers: [STORED_BY], wire: '', customTools: new Set<string>(), names: new Map<string, string>() }

/** Notes a value of a browser that is not as expected. It is left out, and the rest is read. */
export type Warn = (place: string, expected: string, value: unknown) => void

/** A browser cannot fill the log of the program. */
const MOST_WARNINGS = 100

export function readThread(read: (warn: Warn) => readonly GivenMessage[]): ReadThread {
  const misplaced: string[] = []
  const prompt = read((place, expected, value) => {
    if (misplaced.length < MOST_WARNINGS) misplaced.push(`${place}: expected ${expected}, got ${describeValue(value)}`)
  })
  const { items, warnings } = new PromptItems(prompt, UPSTREAM)
  const texts = warnings.map((warning) =>
    warning.type === 'other' ? warning.message : `${warning.feature}: ${warning.details}`,
  )
  return { input: items, warnings: [...misplaced, ...texts] }
}

export type SentMembers = Readonly<Record<string, unknown>>

/** An object that an interface has sent, and its place in the body. */
export interface Sent {
  readonly members: SentMembers
  readonly place: string
}

/** The objects of a list. */
export function sentObjects(value: unknown, place: string, warn: Warn): readonly Sent[] {
  if (!Array.isArray(value)) {
    warn(place, 'a list', value)
    return []
  }
  return value.flatMap((members: unknown, at) => {
    if (isObject(members)) return [{ members, place: `${place}[${at}]` }]
    warn(`${place}[${at}]`, 'an object', members)
    return []
  })
}

/** Whether an object has these texts. */
export const hasTexts = ({ members, place }: Sent, names: readonly string[], warn: Warn): boolean =>
  names.every((name) => {
    if (typeof members[name] === 'string') return true
    warn(`${place}.${name}`, 'a string', members[name])
    return false
  })

/** An object without the members that are nested too deep to be written. */
export function withoutDeep({ members, place }: Sent, warn: Warn): Sent {
  const deep = Object.keys(members).filter((name) => isTooDeep(members[name]))
  if (deep.length === 0) return { members, place }
  for (const name of deep)
    warn(pathIn(place, name), `at most ${MAX_LENGTHS.nesting} levels of lists and objects`, members[name])
  return { members: Object.fromEntries(Object.entries(members).filter(([name]) => !deep.includes(name))), place }
}

/** Warns of an encrypted content that is no text. The text of its reasoning is read without it. */
export function warnOfSeal(value: unknown, place: string, warn: Warn): void {
  if (typeof (value ?? '') !== 'string') warn(place, 'a string', value)
}

/** Whether a file can be read at an address. Others than these are known to the browser or its server only. */
export function isAddress(url: string, place: string, warn: Warn): boolean {
  const isReachable = /^(?:https?:\/\/|data:)/i.test(url)
  if (!isReachable) warn(place, 'an http, https or data URL', url)
  return isReachable
}

/** The members under the name of this package, in options or metadata of a part. */
export const ownOf = (metadata: unknown): { readonly [OWN_NAMESPACE]: SentMembers } => {
  const own = isObject(metadata) ? metadata[OWN_NAMESPACE] : undefined
  return { [OWN_NAMESPACE]: isObject(own) ? own : {} }
}

export const textPart = (text: unknown, metadata?: unknown, type: GivenText['type'] = 'text'): GivenText => ({
  type,
  text: String(text ?? ''),
  providerOptions: ownOf(metadata),
})

/** `url`: a data URL, or an address. */
export function filePart(url: string, mediaType: unknown, filename?: unknown): GivenFilePart {
  const [head, type] = /^data:([^;,]{0,200})(?:;[^;,]{0,200}){0,3};base64,/i.exec(url) ?? []
  return {
    type: 'file',
    data: head === undefined ? url : url.slice(head.length),
    mediaType: String(mediaType ?? type ?? 'application/octet-stream'),
    ...(typeof filename === 'string' ? { filename } : {}),
  }
}

/** A file that a vendor stores. */
export const storedFilePart = (id: string, mediaType: unknown, filename?: unknown): GivenFilePart => ({
  ...filePart('', mediaType, filename),
  data: { type: 'reference', reference: { [STORED_BY]: id } },
})

export const callPart = (id: unknown, name: unknown, input: unknown, metadata: unknown): GivenCall => ({
  type: 'tool-call',
  toolCallId: String(id),
  toolName: String(name),
  input,
  providerOptions: ownOf(metadata),
  ...(ownOf(metadata)[OWN_NAMESPACE].itemType === undefined ? {} : { providerExecuted: true }),
})

export const resultPart = (id: unknown, name: unknown, output: GivenResult['output']): GivenResult => ({
  type: 'tool-result',
  toolCallId: String(id),
  toolName: String(name),
  output,
})

/** The output of a call: a text that is JSON is the value of a tool that the vendor ran. */
export function resultOutput(
  value: unknown,
  { isOwn, isError }: { isOwn: boolean; isError: boolean },
): GivenResult['output'] {
  const own = isOwn && typeof value === 'string' ? (parseJson(value) ?? value) : value
  if (typeof own === 'string') return { type: isError ? 'error-text' : 'text', value: own }
  return { type: isError ? 'error-json' : 'json', value: own }
}
