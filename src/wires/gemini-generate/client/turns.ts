import type { Json, JsonObject, JsonRecord } from '../../../protocol/json.ts'
import { ISSUED_ELSEWHERE } from '../../../protocol/loss.ts'
import { unwrapEnvelope } from '../../../responses/encrypted-content.ts'
import { formatJson, isNonEmptyString, isObject, toArray } from '../../../text/json.ts'
import type { DecodeContext } from '../../client-contract.ts'
import { dropField } from '../../shared/client/request-reader.ts'
import type { LocatedItem } from '../../shared/client/source-map.ts'
import { type ArgsPiece, joinArgs, readPiece } from '../partial-args.ts'
import type { Payload, SignatureSpan } from '../thought-signatures.ts'
import type { CallMatcher } from './calls.ts'
import { fieldNames, fieldOf, fieldPath, has, objectIn, only, type ReadFields, textField } from './fields.ts'
import { readPartFields } from './parts.ts'

/** Placeholders that Google accepts in place of a signature. */
const DUMMIES: ReadonlySet<string> = new Set([
  'skip_thought_signature_validator',
  'context_engineering_is_the_way_to_go',
])

interface Signature {
  /** An envelope of any vendor, used as `encrypted_content`. */
  readonly envelope: string | null
  /** A signature of Google. */
  readonly own: string | null
}

const UNSIGNED: Signature = { envelope: null, own: null }

/** Consecutive parts that are all text or all reasoning. A part of another kind ends the run. */
interface Run {
  readonly kind: 'text' | 'thought'
  text: string
  readonly marks: SignatureSpan[]
  envelope: string | null
  readonly paths: [first: string, ...others: string[]]
}

/** A call whose arguments come in pieces: clients store each chunk of a stream. `at`: its item. */
interface StreamedCall {
  readonly at: number
  readonly id: string
  readonly args: JsonRecord
  readonly pieces: ArgsPiece[]
}

const isStreamed = ({ record }: ReadFields): boolean =>
  record.willContinue === true || toArray(record.partialArgs).length > 0

const reasoning = (summary: string, encrypted: string | null): JsonObject => ({
  type: 'reasoning',
  summary: summary === '' ? [] : [{ type: 'summary_text', text: summary }],
  encrypted_content: encrypted,
})

const IMAGE = fieldNames(['mimeType', 'data'])

function imageIn(part: ReadFields): { readonly mimeType: string; readonly result: string } | null {
  const found = objectIn(part, 'inlineData')
  if (found === null || !textField(found, 'mimeType')?.startsWith('image/')) return null
  const result = textField(found, 'data')
  return isNonEmptyString(result) ? { mimeType: textField(only(found, IMAGE), 'mimeType') ?? '', result } : null
}

/** Whether a part has a matching item type. A part without one is sealed whole, and goes back unchanged. */
const hasItem = (part: ReadFields): boolean =>
  has(part, 'functionCall') || has(part, 'text') || isObject(fieldOf(part, 'inlineData'))

/**
 * Converts the parts of the model to items. An envelope belongs to the reasoning before it, because the encoder puts it on
 * the part after the reasoning. Google's own signatures are sealed with the position of their part (`Payload`).
 */
export class TurnBuilder {
  private run: Run | null = null
  private raw: JsonObject[] = []
  private streamed: StreamedCall[] = []
  private rawPath = ''
  private readonly seal: DecodeContext['seal']
  private readonly calls: CallMatcher
  private readonly items: LocatedItem[]

  constructor({ seal }: DecodeContext, calls: CallMatcher, items: LocatedItem[]) {
    this.seal = seal
    this.calls = calls
    this.items = items
  }

  add(given: ReadFields): void {
    const part = hasItem(given) ? readPartFields(given) : given
    const { envelope, own } = this.readSignature(part)
    if (envelope !== null) this.applyEnvelope(part, envelope)
    const call = objectIn(part, 'functionCall')
    if (call !== null) this.applyCall(call, own)
    else if (has(part, 'text')) this.applyWords(part, textField(part, 'text') ?? '', own)
    else if (!this.applyImage(part, own)) this.applyWhole(part, own)
  }

  /** Ends the open run, before another item begins. */
  close(encrypted: string | null = null, path = ''): void {
    const shared = encrypted !== null && this.run !== null
    this.closeRun(encrypted)
    this.closeRaw()
    if (encrypted !== null && !shared) this.push(reasoning('', encrypted), path)
  }

  private push(item: JsonObject, path: string, partPaths?: readonly string[]): void {
    this.items.push(partPaths === undefined ? { item, path } : { item, path, partPaths })
  }

  private sealed(payload: Payload): string | null {
    return this.seal?.(payload as unknown as Json) ?? null
  }

  private closeRun(encrypted: string | null = null): void {
    const { run } = this
    this.run = null
    if (run === null) return
    const { paths } = run
    const [path] = paths
    const marks = run.marks.length === 0 ? null : this.sealed({ on: run.kind, marks: run.marks })
    if (run.kind === 'text') {
      this.push({ type: 'message', role: 'assistant', content: [{ type: 'output_text', text: run.text }] }, path, paths)
      if (marks !== null) this.push(reasoning('', marks), path)
      if (encrypted !== null) this.push(reasoning('', encrypted), path)
      return
    }
    const [first = null, ...others] = [run.envelope, marks, encrypted].filter((it) => it !== null)
    this.push(reasoning(run.text, first), path, paths)
    for (const other of others) this.push(reasoning('', other), path)
  }

  /** Seals the parts for which no item type exists, so that they go back unchanged. */
  private closeRaw(): void {
    const parts = this.raw
    this.raw = []
    if (parts.length > 0) this.push(reasoning('', this.sealed({ on: 'parts', parts })), this.rawPath)
  }

  private readSignature(part: ReadFields): Signature {
    const found = textField(part, 'thoughtSignature')
    if (!isNonEmptyString(found) || DUMMIES.has(found)) return UNSIGNED
    // An envelope of this gateway holds encrypted reasoning of any vendor and goes back unchanged.
    const envelope = unwrapEnvelope(found)
    if (envelope !== undefined) return { envelope, own: null }
    if (this.seal !== null) return { envelope: null, own: found }
    dropField(part.notes, fieldPath(part, 'thoughtSignature'), ISSUED_ELSEWHERE)
    return UNSIGNED
  }

  private applyWords(part: ReadFields, text: string, own: string | null): void {
    const kind = part.record.thought === true ? 'thought' : 'text'
    if (text === '') {
      if (own === null) return
      if (this.run?.kind === kind) this.run.marks.push([this.run.text.length, this.run.text.length, own])
      else this.keep(part, own)
      return
    }
    if (this.run?.kind !== kind) this.close()
    const run: Run = this.run ?? { kind, text: '', marks: [], envelope: null, paths: [part.path] }
    if (run === this.run) run.paths.push(part.path)
    const start = run.text.length
    run.text += text
    if (own !== null) run.marks.push([start, run.text.length, own])
    this.run = run
  }

  private keep(part: ReadFields, own: string | null): void {
    if (this.seal === null) {
      dropField(part.notes, part.path, 'only Google accepts it')
      return
    }
    this.closeRun()
    const { thoughtSignature, thought_signature, ...rest } = part.record
    if (this.raw.length === 0) this.rawPath = part.path
    this.raw.push((own === null ? rest : { ...rest, thoughtSignature: own }) as JsonObject)
  }

  private applyCall(found: ReadFields, own: string | null): void {
    const id = textField(found, 'id') ?? ''
    const known = this.streamedCall(found, id)
    if (known !== null) {
      this.continueCall(known, found)
      return
    }
    this.close(own === null ? null : this.sealed({ on: 'call', id, signature: own }), found.path)
    const item = this.calls.call(found)
    if (isStreamed(found)) {
      const started = { at: this.items.length, id, args: objectIn(found, 'args')?.record ?? {}, pieces: [] }
      this.streamed.push(started)
      this.continueCall(started, found)
    }
    this.push(item, found.path)
  }

  /** The open call that a piece continues: that of its id, and the last one for a piece without a name or an id. */
  private streamedCall(found: ReadFields, id: string): StreamedCall | null {
    if (id !== '') return this.streamed.find((call) => call.id === id) ?? null
    return isNonEmptyString(textField(found, 'name')) ? null : (this.streamed.at(-1) ?? null)
  }

  private continueCall(call: StreamedCall, found: ReadFields): void {
    for (const piece of toArray(found.record.partialArgs)) {
      const read = readPiece(piece)
      if (read === null) dropField(found.notes, fieldPath(found, 'partialArgs'), 'a piece has no jsonPath or no value')
      else call.pieces.push(read)
    }
  }

  /** Writes the arguments of the calls that came in pieces, at the end of the turn. */
  endTurn(): void {
    this.close()
    for (const { at, args, pieces } of this.streamed) {
      const found = this.items[at] as LocatedItem
      const text = formatJson(joinArgs(args as Json, pieces))
      this.items[at] = { ...found, item: { ...found.item, arguments: text === '' ? '{}' : text } }
    }
    this.streamed = []
  }

  private applyImage(part: ReadFields, own: string | null): boolean {
    const image = imageIn(part)
    if (image === null) return false
    const { mimeType, result } = image
    this.close()
    const output_format = mimeType.slice('image/'.length)
    this.push({ type: 'image_generation_call', status: 'completed', result, output_format }, part.path)
    if (own !== null) this.push(reasoning('', this.sealed({ on: 'image', mimeType, signature: own })), part.path)
    return true
  }

  private applyWhole(part: ReadFields, own: string | null): void {
    // A part with only a signature belongs to the text before it.
    const names = Object.keys(part.record).filter((name) => name !== 'thoughtSignature' && name !== 'thought_signature')
    if (names.length > 0) this.keep(part, own)
    else if (own !== null) this.applyWords(part, '', own)
  }

  /** An envelope on reasoning that nothing precedes belongs to that reasoning itself. */
  private applyEnvelope(part: ReadFields, envelope: string): void {
    const isReasoning = part.record.thought === true && isNonEmptyString(part.record.text)
    if (isReasoning && this.run === null && this.raw.length === 0)
      this.run = { kind: 'thought', text: '', marks: [], envelope, paths: [part.path] }
    else this.close(envelope, part.path)
  }
}
