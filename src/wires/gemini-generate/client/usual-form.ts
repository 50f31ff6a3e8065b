import type { Json, JsonObject } from '../../../protocol/json.ts'
import { isObject, toCamel } from '../../../text/json.ts'
import { parseDataUrl } from '../../shared/media-types.ts'
import { changeEntries, withMember } from '../../shared/passthrough/members.ts'
import { functionOf, hasValues, partOf, presentMembers, usualStops } from '../../shared/passthrough/other-forms.ts'

/**
 * Forms that the libraries of Google turn into those of the API, which refuses them itself: modes in small
 * letters, texts in the place of contents and parts, and members without an effect. And forms of other protocols
 * (`shared/passthrough/other-forms.ts`).
 */

type Change = (value: Json) => Json | undefined

/** Changes members by their names in camel case; a body may have each of them in snake case. */
function withMembers(object: JsonObject, changes: ReadonlyMap<string, Change>): JsonObject {
  let changed = object
  for (const name of Object.keys(object)) {
    const value = object[name] as Json
    const change =
      value === null ? undefined : (changes.get(name) ?? (name.includes('_') ? changes.get(toCamel(name)) : undefined))
    if (change !== undefined) changed = withMember(changed, name, change(value))
  }
  return changed
}

const inside =
  (changes: ReadonlyMap<string, Change>): Change =>
  (value) =>
    isObject(value) ? withMembers(value as JsonObject, changes) : value

const MODES: ReadonlyMap<string, string> = new Map([
  ...['AUTO', 'ANY', 'NONE', 'VALIDATED'].map((mode) => [mode, mode] as const),
  ['REQUIRED', 'ANY'],
])

/** A mode that is not known yet stays. */
const usualMode: Change = (mode) => (typeof mode === 'string' ? (MODES.get(mode.toUpperCase()) ?? mode) : mode)

/** "systemInstruction: parts must not be empty". */
const usualRule: Change = (rule) => {
  const parts = isObject(rule) ? (rule as JsonObject).parts : undefined
  const isEmpty = Array.isArray(parts) && parts.every((part) => isObject(part) && part.text === '')
  return isEmpty ? undefined : rule
}

/** "include_thoughts is only enabled when thinking is enabled". */
const usualThinking: Change = (thinking) => {
  if (!isObject(thinking)) return thinking
  const named = Object.entries(thinking as JsonObject)
  const isOff = named.some(([name, value]) => toCamel(name) === 'thinkingBudget' && value === 0)
  if (!isOff) return thinking
  const kept = named.filter(([name, value]) => toCamel(name) !== 'includeThoughts' || value !== true)
  return kept.length === named.length ? thinking : Object.fromEntries(kept)
}

/** No part of the API has a type. */
function usualPart(part: Json): Json {
  if (isObject(part) && part.type === undefined) return part
  const found = partOf(part)
  if (found === null || hasValues(found.outside)) return part
  if (found.kind === 'text') return { text: found.text }
  const { url, inside } = found
  if (hasValues(inside)) return part
  const data = parseDataUrl(url)
  return data?.base64 === true
    ? { inlineData: { mimeType: data.mediaType, data: data.body } }
    : { fileData: { fileUri: url } }
}

const usualParts = (parts: Json): Json =>
  typeof parts === 'string' ? [{ text: parts }] : (changeEntries(parts, usualPart) as Json)

function usualContent(content: Json): Json {
  if (typeof content === 'string') return { role: 'user', parts: [{ text: content }] }
  if (!isObject(content)) return content
  const { parts, content: inner, ...others } = content as JsonObject
  if (parts !== undefined) return withMember(content as JsonObject, 'parts', usualParts(parts))
  const isMessage = typeof inner === 'string' || Array.isArray(inner)
  return isMessage && others.role !== 'tool' ? { ...others, parts: usualParts(inner as Json) } : content
}

function usualTool(tool: Json): Json {
  const found = isObject(tool) ? functionOf(tool as JsonObject) : null
  if (found === null || hasValues(found.inside) || hasValues(found.outside)) return tool
  const { name, description, schema } = found
  return { functionDeclarations: [presentMembers({ name, description, parametersJsonSchema: schema })] }
}

const BODY: ReadonlyMap<string, Change> = new Map<string, Change>([
  [
    'contents',
    (contents) => (typeof contents === 'string' ? [usualContent(contents)] : changeEntries(contents, usualContent)),
  ],
  ['tools', (tools) => changeEntries(tools, usualTool)],
  ['systemInstruction', usualRule],
  ['toolConfig', inside(new Map([['functionCallingConfig', inside(new Map([['mode', usualMode]]))]]))],
  [
    'generationConfig',
    inside(
      new Map([
        ['thinkingConfig', usualThinking],
        ['stopSequences', usualStops],
      ]),
    ),
  ],
])

/** Returns a body in the form of the API. O(n) for n parts. */
export const inOwnForm = (body: JsonObject): JsonObject => withMembers(body, BODY)
