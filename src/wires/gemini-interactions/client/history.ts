import type { Json, JsonObject, JsonRecord } from '../../../protocol/json.ts'
import { unwrapEnvelope } from '../../../responses/encrypted-content.ts'
import { isNonEmptyString, isObject, scalarToString } from '../../../text/json.ts'
import { fieldSet } from '../../../validation/known-fields.ts'
import { freeCallId } from '../../shared/client/free-call-id.ts'
import { createUnmatchedCalls } from '../../shared/client/pending-calls.ts'
import {
  dropField,
  formatField,
  isAbsent,
  leaveUnread,
  nameAt,
  objectAt,
  optionalAt,
  type RequestReader,
  readFieldsAt,
  readListAt,
  rejectField,
  textAt,
} from '../../shared/client/request-reader.ts'
import type { LocatedItem } from '../../shared/client/source-map.ts'
import { MISSING_SIGNATURE } from '../../shared/upstream/answers/missing-signature.ts'
import type { Payload } from '../payloads.ts'
import { HOSTED_KINDS, isMadeId } from '../terms.ts'
import { decodeContent, isUserContent } from './contents.ts'

const INPUT = fieldSet(['type', 'content'])
const OUTPUT = fieldSet(['type', 'content'])
const TEXT = fieldSet(['type', 'text'], { annotations: { why: 'citations of earlier answers are not sent' } })
const IMAGE = fieldSet(['type', 'data', 'mime_type'])
const THOUGHT = fieldSet(['type', 'signature', 'summary'])
const CALL = fieldSet(['type', 'id', 'name', 'arguments', 'signature'])
const RESULT = fieldSet(['type', 'call_id', 'name', 'result', 'is_error'])
const TURN = fieldSet(['role', 'content'])

const ONLY_GOOGLE = 'only Google accepts it'
const NO_RESULT = 'the tool is one that Google runs, and the call has no result'

const isHosted = (type: string): boolean =>
  (type.endsWith('_call') && type !== 'function_call') || (type.endsWith('_result') && type !== 'function_result')

const isMade = ({ id, call_id: callId }: JsonRecord): boolean => isMadeId(id ?? callId)

/** Steps with a signature, and those of MCP servers, which never have one. */
const goesBack = (step: JsonRecord): boolean =>
  isNonEmptyString(step.signature) || (scalarToString(step.type).startsWith('mcp_') && !isMade(step))

/** The ids in a member of all steps of a type, also of those inside the content of a turn. */
function idsIn(entries: readonly unknown[], type: string, member: string): ReadonlySet<unknown> {
  const all = [...entries, ...entries.flatMap((entry) => (isObject(entry) ? entry.content : null))]
  return new Set(all.flatMap((entry) => (isObject(entry) && entry.type === type ? [entry[member]] : [])))
}

/** Converts the entries of `input` to items. */
export interface HistoryReader {
  add(entry: unknown, path: string): void
  /** Ends the open message and the open steps of tools. */
  close(): void
}

/** Creates a reader that appends to `items`. O(1) for each part of an entry. */
export function createHistoryReader(
  entries: readonly unknown[],
  notes: RequestReader,
  items: LocatedItem[],
): HistoryReader {
  const { seal } = notes
  const answered = idsIn(entries, 'function_result', 'call_id')
  const given = idsIn(entries, 'function_call', 'id')
  const pending = createUnmatchedCalls()
  const state: { shown: JsonObject[]; shownPath: string; raw: JsonRecord[]; rawPath: string; calls: number } = {
    shown: [],
    shownPath: '',
    raw: [],
    rawPath: '',
    calls: 0,
  }
  const push = (item: JsonObject, path: string): void => void items.push({ item, path })
  const sealed = (payload: Payload): string | null => seal?.(payload as unknown as Json) ?? null

  const closeShown = (): void => {
    const content = state.shown
    state.shown = []
    if (content.length > 0) push({ type: 'message', role: 'user', content }, state.shownPath)
  }

  /** Steps of Google's tools go back together and unchanged, to Google alone. */
  const closeRaw = (): void => {
    const steps = state.raw
    state.raw = []
    if (steps.length === 0) return
    if (seal === null || !steps.some(goesBack)) dropField(notes, state.rawPath, ONLY_GOOGLE)
    else push(reasoning('', sealed({ on: 'steps', steps: steps as readonly JsonObject[] })), state.rawPath)
  }

  const close = (): void => {
    closeShown()
    closeRaw()
  }

  const show = (part: JsonObject | null, path: string) => {
    if (part === null) return
    if (state.shown.length === 0) {
      close()
      state.shownPath = path
    }
    state.shown.push(part)
  }

  /** Returns the encrypted content of a signature: an envelope of this gateway, or the payload for Google. */
  const encryptedOf = (found: unknown, path: string, payload: (signature: string) => Payload): string | null => {
    const signature = optionalAt(textAt, notes, `${path}.signature`, found)
    if (!isNonEmptyString(signature) || signature === MISSING_SIGNATURE) return null
    const envelope = unwrapEnvelope(signature)
    if (envelope !== undefined) return envelope
    const encrypted = sealed(payload(signature))
    if (encrypted === null) dropField(notes, `${path}.signature`, 'only the model that issued it can read it')
    return encrypted
  }

  const addThought = (value: unknown, path: string) => {
    const { signature, summary } = readFieldsAt(notes, path, value, THOUGHT)
    const texts = (isAbsent(summary) ? [] : readListAt(notes, `${path}.summary`, summary)).map((part, at) =>
      textAt(notes, `${path}.summary[${at}].text`, readFieldsAt(notes, `${path}.summary[${at}]`, part, TEXT).text),
    )
    const encrypted = encryptedOf(signature, path, (own) => ({ on: 'thought', signature: own }))
    const text = texts.join('')
    if (encrypted !== null || text !== '') push(reasoning(text, encrypted), path)
    else if (signature !== MISSING_SIGNATURE) dropField(notes, path, 'an empty thought')
  }

  const addCall = (value: unknown, path: string) => {
    const call = readFieldsAt(notes, path, value, CALL)
    const name = nameAt(notes, `${path}.name`, call.name)
    const own = optionalAt(textAt, notes, `${path}.id`, call.id) ?? ''
    // A client of Vercel repeats a search of Google as a call of a function without a result.
    if (Object.hasOwn(HOSTED_KINDS, name) && !answered.has(call.id)) return dropField(notes, path, NO_RESULT)
    const id = own === '' ? freeCallId(`call_${state.calls}`, given) : own
    state.calls += 1
    const encrypted = encryptedOf(call.signature, path, (signature) => ({ on: 'call', id, signature }))
    if (encrypted !== null) push(reasoning('', encrypted), path)
    pending.add({ id, name })
    push({ type: 'function_call', call_id: id, name, arguments: argumentsAt(call.arguments, path) }, path)
  }

  const argumentsAt = (value: unknown, path: string): string => {
    if (isAbsent(value)) return '{}'
    if (typeof value === 'string') return value
    const text = formatField(notes, `${path}.arguments`, objectAt(notes, `${path}.arguments`, value))
    if (text === '') rejectField(notes, `${path}.arguments`, 'the value is nested too deeply')
    return text
  }

  const addResult = (value: unknown, path: string) => {
    const found = readFieldsAt(notes, path, value, RESULT)
    const given = optionalAt(textAt, notes, `${path}.call_id`, found.call_id) ?? ''
    const call =
      given === ''
        ? isNonEmptyString(found.name)
          ? pending.takeByName(found.name)
          : pending.takeFirst()
        : pending.takeById(given)
    const call_id = call?.id ?? given
    if (call === undefined) rejectField(notes, path, 'expected the result of an earlier call that has no result yet')
    const failed = found.is_error === true ? { failed: true } : {}
    push({ type: 'function_call_output', call_id, output: outputAt(found.result, `${path}.result`), ...failed }, path)
  }

  const outputAt = (value: unknown, path: string): string | readonly JsonObject[] => {
    if (isAbsent(value)) return ''
    if (typeof value === 'string') return value
    if (Array.isArray(value) && value.every(isUserContent)) return partsAt(value, path)
    if (isObject(value) && Array.isArray(value.content) && value.content.every(isUserContent))
      return partsAt(value.content, `${path}.content`)
    return formatField(notes, path, (isObject(value) ? value : { result: value }) as JsonRecord)
  }

  const partsAt = (list: readonly unknown[], path: string): string | readonly JsonObject[] => {
    const parts = list.flatMap((part, at): readonly JsonObject[] => {
      const decoded = decodeContent(part, `${path}[${at}]`, notes)
      return decoded === null ? [] : [decoded]
    })
    const [first] = parts
    return parts.length === 1 && first?.type === 'input_text' ? (first.text as string) : parts
  }

  const addOutputs = (contents: readonly unknown[], path: string) => {
    const texts: JsonObject[] = []
    const flush = (): void => {
      if (texts.length > 0) push({ type: 'message', role: 'assistant', content: texts.splice(0) }, path)
    }
    contents.forEach((content, at) => {
      const own = `${path}.content[${at}]`
      if (typeof content === 'string' || (isObject(content) && content.type === 'text')) {
        const text =
          typeof content === 'string'
            ? content
            : textAt(notes, `${own}.text`, readFieldsAt(notes, own, content, TEXT).text)
        if (text !== '') texts.push({ type: 'output_text', text })
        return
      }
      flush()
      if (isObject(content) && !isUserContent(content)) add(content, own)
      else addImage(content, own)
    })
    flush()
  }

  const addImage = (content: unknown, path: string) => {
    if (!isObject(content) || content.type !== 'image' || !isNonEmptyString(content.data))
      return leaveUnread(notes, path, 'it is not supported in an answer of the model')
    const { data, mime_type: mime } = readFieldsAt(notes, path, content, IMAGE)
    const output_format = scalarToString(mime).replace(/^image\//, '') || 'png'
    push({ type: 'image_generation_call', status: 'completed', result: data as string, output_format }, path)
  }

  const listAt = (value: unknown, path: string): readonly unknown[] => {
    if (typeof value === 'string') return [value]
    if (isObject(value)) return [value]
    return isAbsent(value) ? [] : readListAt(notes, `${path}.content`, value)
  }

  const addInputs = (contents: readonly unknown[], path: string): void =>
    contents.forEach((content, at) => {
      const own = `${path}.content[${at}]`
      // The client of Vercel sends the results of a turn inside the content of the user.
      if (isObject(content) && !isUserContent(content)) add(content, own)
      else show(decodeContent(content, own, notes), path)
    })

  const addTurn = (value: unknown, path: string) => {
    const { role, content } = readFieldsAt(notes, path, value, TURN)
    if (role === 'model' || role === 'assistant') addOutputs(listAt(content, path), path)
    else if (role === 'user') addInputs(listAt(content, path), path)
    else rejectField(notes, `${path}.role`, 'expected user or model')
    closeShown()
  }

  const addStep = (value: JsonRecord, type: string, path: string) => {
    if (isHosted(type)) {
      closeShown()
      if (state.raw.length === 0) state.rawPath = path
      state.raw.push(value)
      return
    }
    close()
    switch (type) {
      case 'user_input':
        addInputs(listAt(readFieldsAt(notes, path, value, INPUT).content, path), path)
        return closeShown()
      case 'model_output':
        return addOutputs(listAt(readFieldsAt(notes, path, value, OUTPUT).content, path), path)
      case 'thought':
        return addThought(value, path)
      case 'function_call':
        return addCall(value, path)
      case 'function_result':
        return addResult(value, path)
      default:
        leaveUnread(notes, path, 'a step of this type is not supported')
    }
  }

  const add = (entry: unknown, path: string) => {
    if (isUserContent(entry)) return show(decodeContent(entry, path, notes), path)
    const value = objectAt(notes, path, entry)
    if (value.type === undefined && value.role !== undefined) {
      close()
      return addTurn(value, path)
    }
    addStep(value, nameAt(notes, `${path}.type`, value.type), path)
  }

  return { add, close }
}

const reasoning = (summary: string, encrypted: string | null): JsonObject => ({
  type: 'reasoning',
  summary: summary === '' ? [] : [{ type: 'summary_text', text: summary }],
  encrypted_content: encrypted,
})
