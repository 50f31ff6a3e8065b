import type { Json, JsonObject, JsonRecord } from '../../../protocol/json.ts'
import { ISSUED_ELSEWHERE } from '../../../protocol/loss.ts'
import { unwrapEnvelope } from '../../../responses/encrypted-content.ts'
import { isNonEmptyString, isObject, scalarToString } from '../../../text/json.ts'
import { fieldSet } from '../../../validation/known-fields.ts'
import { freeCallId } from '../../shared/client/free-call-id.ts'
import { createUnmatchedCalls } from '../../shared/client/pending-calls.ts'
import {
  dropField,
  formatField,
  isAbsent,
  leaveUnsupported,
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

/** A content with its path: one alone may stand in the place of a list. */
type PlacedContent = readonly [content: unknown, path: string]

/** Converts the entries of `input` to items, which it appends to `items`. O(1) for each part of an entry. */
export class HistoryReader {
  private readonly notes: RequestReader
  private readonly items: LocatedItem[]
  /** The ids of the calls that have a result. */
  private readonly answered: ReadonlySet<unknown>
  /** The ids of all calls. */
  private readonly given: ReadonlySet<unknown>
  private readonly pending = createUnmatchedCalls()
  private shown: JsonObject[] = []
  private shownPath = ''
  private raw: JsonRecord[] = []
  private rawPath = ''
  private calls = 0

  constructor(entries: readonly unknown[], notes: RequestReader, items: LocatedItem[]) {
    this.notes = notes
    this.items = items
    this.answered = idsIn(entries, 'function_result', 'call_id')
    this.given = idsIn(entries, 'function_call', 'id')
  }

  add(entry: unknown, path: string): void {
    if (isUserContent(entry)) this.show(decodeContent(entry, path, this.notes), path)
    else this.addStepOrTurn(objectAt(this.notes, path, entry), path)
  }

  /** Ends the open message and the open steps of tools. */
  close(): void {
    this.closeShown()
    this.closeRaw()
  }

  private addStepOrTurn(value: JsonRecord, path: string): void {
    if (value.type === undefined && value.role !== undefined) {
      this.close()
      this.addTurn(value, path)
    } else this.addStep(value, nameAt(this.notes, `${path}.type`, value.type), path)
  }

  private addStep(value: JsonRecord, type: string, path: string): void {
    if (isHosted(type)) {
      this.closeShown()
      if (this.raw.length === 0) this.rawPath = path
      this.raw.push(value)
      return
    }
    this.close()
    if (type === 'user_input') {
      this.addInputs(this.contentsAt(readFieldsAt(this.notes, path, value, INPUT).content, path), path)
      this.closeShown()
    } else if (type === 'model_output')
      this.addOutputs(this.contentsAt(readFieldsAt(this.notes, path, value, OUTPUT).content, path), path)
    else if (type === 'thought') this.addThought(value, path)
    else if (type === 'function_call') this.addCall(value, path)
    else if (type === 'function_result') this.addResult(value, path)
    else leaveUnsupported(this.notes, path, 'a step of this type is not supported')
  }

  private addTurn(value: unknown, path: string): void {
    const { role, content } = readFieldsAt(this.notes, path, value, TURN)
    if (role === 'model' || role === 'assistant') this.addOutputs(this.contentsAt(content, path), path)
    else if (role === 'user') this.addInputs(this.contentsAt(content, path), path)
    else rejectField(this.notes, `${path}.role`, 'expected user or model')
    this.closeShown()
  }

  private addInputs(contents: readonly PlacedContent[], path: string): void {
    // An empty message is one (`engine/rules/conversation.ts`).
    if (contents.length === 0) this.push({ type: 'message', role: 'user', content: [] }, path)
    contents.forEach(([content, own]) => {
      // The client of Vercel sends the results of a turn inside the content of the user.
      if (isObject(content) && !isUserContent(content)) this.add(content, own)
      else this.show(decodeContent(content, own, this.notes), path)
    })
  }

  private addOutputs(contents: readonly PlacedContent[], path: string): void {
    const texts: JsonObject[] = []
    const flush = (): void => {
      if (texts.length > 0) this.push({ type: 'message', role: 'assistant', content: texts.splice(0) }, path)
    }
    contents.forEach(([content, own]) => {
      if (typeof content === 'string' || (isObject(content) && content.type === 'text')) {
        const text =
          typeof content === 'string'
            ? content
            : textAt(this.notes, `${own}.text`, readFieldsAt(this.notes, own, content, TEXT).text)
        if (text !== '') texts.push({ type: 'output_text', text })
        return
      }
      flush()
      if (isObject(content) && !isUserContent(content)) this.add(content, own)
      else this.addImage(content, own)
    })
    flush()
  }

  private addImage(content: unknown, path: string): void {
    if (!isObject(content) || content.type !== 'image' || !isNonEmptyString(content.data)) {
      leaveUnsupported(this.notes, path, 'it is not supported in an answer of the model')
      return
    }
    const { data, mime_type: mime } = readFieldsAt(this.notes, path, content, IMAGE)
    const output_format = scalarToString(mime).replace(/^image\//, '') || 'png'
    this.push({ type: 'image_generation_call', status: 'completed', result: data as string, output_format }, path)
  }

  private contentsAt(value: unknown, outer: string): readonly PlacedContent[] {
    const path = `${outer}.content`
    if (typeof value === 'string' || isObject(value)) return [[value, path]]
    const list = isAbsent(value) ? [] : readListAt(this.notes, path, value)
    return list.map((content, at) => [content, `${path}[${at}]`])
  }

  private addThought(value: unknown, path: string): void {
    const { signature, summary } = readFieldsAt(this.notes, path, value, THOUGHT)
    const texts = (isAbsent(summary) ? [] : readListAt(this.notes, `${path}.summary`, summary)).map((part, at) =>
      textAt(
        this.notes,
        `${path}.summary[${at}].text`,
        readFieldsAt(this.notes, `${path}.summary[${at}]`, part, TEXT).text,
      ),
    )
    const encrypted = this.encryptedOf(signature, path, (own) => ({ on: 'thought', signature: own }))
    const text = texts.join('')
    if (encrypted !== null || text !== '') this.push(reasoning(text, encrypted), path)
    else if (signature !== MISSING_SIGNATURE) dropField(this.notes, path, 'an empty thought')
  }

  private addCall(value: unknown, path: string): void {
    const call = readFieldsAt(this.notes, path, value, CALL)
    const name = nameAt(this.notes, `${path}.name`, call.name)
    const own = optionalAt(textAt, this.notes, `${path}.id`, call.id) ?? ''
    // A client of Vercel repeats a search of Google as a call of a function without a result.
    if (Object.hasOwn(HOSTED_KINDS, name) && !this.answered.has(call.id)) {
      dropField(this.notes, path, NO_RESULT)
      return
    }
    const id = own === '' ? freeCallId(`call_${this.calls}`, this.given) : own
    this.calls += 1
    const encrypted = this.encryptedOf(call.signature, path, (signature) => ({ on: 'call', id, signature }))
    if (encrypted !== null) this.push(reasoning('', encrypted), path)
    this.pending.add({ id, name })
    this.push({ type: 'function_call', call_id: id, name, arguments: this.argumentsAt(call.arguments, path) }, path)
  }

  private argumentsAt(value: unknown, path: string): string {
    if (isAbsent(value)) return '{}'
    if (typeof value === 'string') return value
    const text = formatField(this.notes, `${path}.arguments`, objectAt(this.notes, `${path}.arguments`, value))
    if (text === '') rejectField(this.notes, `${path}.arguments`, 'the value is nested too deeply')
    return text
  }

  private addResult(value: unknown, path: string): void {
    const found = readFieldsAt(this.notes, path, value, RESULT)
    const given = optionalAt(textAt, this.notes, `${path}.call_id`, found.call_id) ?? ''
    const call =
      given === ''
        ? isNonEmptyString(found.name)
          ? this.pending.takeByName(found.name)
          : this.pending.takeFirst()
        : this.pending.takeById(given)
    // A result without its call is mended for the upstream (`engine/rules/calls.ts`).
    const call_id = call?.id ?? (given === '' ? freeCallId(`call_${this.calls}`, this.given) : given)
    const failed = found.is_error === true ? { failed: true } : {}
    this.push(
      { type: 'function_call_output', call_id, output: this.outputAt(found.result, `${path}.result`), ...failed },
      path,
    )
  }

  private outputAt(value: unknown, path: string): string | readonly JsonObject[] {
    if (isAbsent(value)) return ''
    if (typeof value === 'string') return value
    if (Array.isArray(value) && value.every(isUserContent)) return this.partsAt(value, path)
    if (isObject(value) && Array.isArray(value.content) && value.content.every(isUserContent))
      return this.partsAt(value.content, `${path}.content`)
    return formatField(this.notes, path, (isObject(value) ? value : { result: value }) as JsonRecord)
  }

  private partsAt(list: readonly unknown[], path: string): string | readonly JsonObject[] {
    const parts = list.flatMap((part, at): readonly JsonObject[] => {
      const decoded = decodeContent(part, `${path}[${at}]`, this.notes)
      return decoded === null ? [] : [decoded]
    })
    const [first] = parts
    return parts.length === 1 && first?.type === 'input_text' ? (first.text as string) : parts
  }

  /** Returns the encrypted content of a signature: an envelope of this gateway, or the payload for Google. */
  private encryptedOf(found: unknown, path: string, payload: (signature: string) => Payload): string | null {
    const signature = optionalAt(textAt, this.notes, `${path}.signature`, found)
    if (!isNonEmptyString(signature) || signature === MISSING_SIGNATURE) return null
    const envelope = unwrapEnvelope(signature)
    if (envelope !== undefined) return envelope
    const encrypted = this.sealed(payload(signature))
    if (encrypted === null) dropField(this.notes, `${path}.signature`, ISSUED_ELSEWHERE)
    return encrypted
  }

  private show(part: JsonObject | null, path: string): void {
    if (part === null) return
    if (this.shown.length === 0) {
      this.close()
      this.shownPath = path
    }
    this.shown.push(part)
  }

  private closeShown(): void {
    const content = this.shown
    this.shown = []
    if (content.length > 0) this.push({ type: 'message', role: 'user', content }, this.shownPath)
  }

  /** Steps of Google's tools go back together and unchanged, to Google alone. */
  private closeRaw(): void {
    const steps = this.raw
    this.raw = []
    if (steps.length === 0) return
    if (this.notes.seal === null || !steps.some(goesBack)) dropField(this.notes, this.rawPath, ONLY_GOOGLE)
    else this.push(reasoning('', this.sealed({ on: 'steps', steps: steps as readonly JsonObject[] })), this.rawPath)
  }

  private push(item: JsonObject, path: string): void {
    this.items.push({ item, path })
  }

  private sealed(payload: Payload): string | null {
    return this.notes.seal?.(payload as unknown as Json) ?? null
  }
}

const reasoning = (summary: string, encrypted: string | null): JsonObject => ({
  type: 'reasoning',
  summary: summary === '' ? [] : [{ type: 'summary_text', text: summary }],
  encrypted_content: encrypted,
})
