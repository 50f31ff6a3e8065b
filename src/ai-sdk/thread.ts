import type { JsonObject } from '../protocol/json.ts'
import { OWN_NAMESPACE } from '../targets/front-end.ts'
import { isObject, parseJson } from '../text/json.ts'
import type { GivenCall, GivenFilePart, GivenMessage, GivenResult, GivenText } from './contract.ts'
import { PromptItems } from './input-items.ts'

/* The parts of conversations that interfaces send back, as those of a prompt. */

/** The conversation of an interface as the input of a request. */
export interface ReadThread {
  readonly input: readonly JsonObject[]
  /** Parts that the input has no item for: their kind and the reason. */
  readonly warnings: readonly string[]
}

/** Files that are stored at a vendor have no address that an interface can show. */
const UPSTREAM = { providers: [], wire: '', customTools: new Set<string>(), names: new Map<string, string>() }

export function readThread(prompt: readonly GivenMessage[]): ReadThread {
  const { items, warnings } = new PromptItems(prompt, UPSTREAM)
  const texts = warnings.map((warning) =>
    warning.type === 'other' ? warning.message : `${warning.feature}: ${warning.details}`,
  )
  return { input: items, warnings: texts }
}

export type SentMembers = Readonly<Record<string, unknown>>

/** The objects of a list that an interface has sent. Anything else is none of them. */
export const sentObjects = (value: unknown): readonly SentMembers[] =>
  Array.isArray(value) ? value.filter(isObject) : []

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
