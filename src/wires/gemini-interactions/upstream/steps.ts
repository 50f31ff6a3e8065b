import { mapDelete, mapEntries, mapSet } from '../../../collections/sorted-map.ts'
import type { Citation, ContentKind, Span } from '../../../protocol/delta.ts'
import type { JsonObject, JsonRecord } from '../../../protocol/json.ts'
import { isCompleteJson, isNonEmptyString, isObject, scalarToString } from '../../../text/json.ts'
import { emitWrongKind, readCallId, readObjects, readText } from '../../shared/upstream/answers/answer-values.ts'
import { shortWord } from '../../shared/upstream/answers/finish-reasons.ts'
import { emitImage } from '../../shared/upstream/answers/generated-image.ts'
import { type Deltas, emitLoss, formatArguments } from '../../shared/upstream/deltas.ts'
import { isFiltered, upstreamErrorOf } from '../errors.ts'
import { isHostedCall, isHostedResult } from './hosted-items.ts'
import { applyHostedDelta, beginHosted, beginWaiting, endHosted, sealSteps } from './hosted-steps.ts'
import type { InteractionState, OpenStep } from './state.ts'

const isHosted = (type: string): boolean => isHostedCall(type) || isHostedResult(type)

/** Steps whose content is part of the answer. */
const KNOWN: ReadonlySet<string> = new Set(['thought', 'model_output', 'function_call'])

function emitContent(kind: ContentKind, key: string, text: string, deltas: Deltas): void {
  deltas.push({ kind, key, part: '', text, logprobs: null })
}

/** A failure ends the answer, except for its usage. The end of the answer decides about the verdict of a filter. */
export function applyFailure(state: InteractionState, error: unknown, deltas: Deltas): InteractionState {
  if (state.failed) return state
  if (isFiltered(error)) return { ...state, filtered: state.filtered ?? upstreamErrorOf(error) }
  deltas.push({ kind: 'error', error: upstreamErrorOf(error) })
  return { ...state, failed: true }
}

// ---------------------------------------------------------------- content

const withContent = (state: InteractionState): InteractionState =>
  state.hasContent ? state : { ...state, hasContent: true }

/** Emits an image as an item. The Responses API has no item for sounds, videos and other data. */
function applyMedia(state: InteractionState, step: OpenStep, content: JsonRecord, deltas: Deltas): InteractionState {
  const { type, data, uri, mime_type: mime } = content
  const source = [data, uri].find(isNonEmptyString)
  if (type !== 'image' || source === undefined) {
    emitLoss(`data of type ${shortWord(scalarToString(mime) || scalarToString(type))}`, deltas)
    return state
  }
  if (step.type === 'thought') {
    emitLoss('a draft of an image', deltas)
    return state
  }
  const format = scalarToString(mime).replace(/^image\//, '') || (source === data ? 'png' : '')
  emitImage(`image ${state.count} of ${step.key}`, source, format, deltas)
  return { ...state, count: state.count + 1, hasContent: true }
}

const withStep = (state: InteractionState, index: string, step: OpenStep): InteractionState => ({
  ...state,
  steps: mapSet(state.steps, index, step),
})

/** Applies a text of a step. The first piece may repeat the text in the start of the step. */
function applyText(
  state: InteractionState,
  index: string,
  step: OpenStep,
  text: string,
  deltas: Deltas,
): InteractionState {
  if (text === '') return state
  const isRepeated = step.given === text
  if (!isRepeated) emitContent(step.type === 'thought' ? 'summary' : 'text', step.key, text, deltas)
  const next = withContent(state)
  return step.given === '' ? next : withStep(next, index, { ...step, given: '' })
}

const isTextContent = ({ type, text }: JsonRecord): boolean =>
  type === 'text' || (type === undefined && text !== undefined)

/** Applies the content in the start of a step, or the summary of a thought. */
function applyContents(
  state: InteractionState,
  index: string,
  step: OpenStep,
  found: unknown,
  deltas: Deltas,
): InteractionState {
  let next = state
  let given = ''
  const contents = typeof found === 'string' ? [{ type: 'text', text: found }] : readObjects(found, 'content', deltas)
  for (const content of contents) {
    if (!isTextContent(content)) {
      next = applyMedia(next, step, content, deltas)
      continue
    }
    const text = readText(content.text)
    next = applyText(next, index, step, text, deltas)
    emitCitations(step.key, content.annotations, deltas)
    given += text
  }
  return given === '' ? next : withStep(next, index, { ...step, given })
}

/** A signature belongs to the thought or the call of its step; that of a text is a thought of its own. */
function emitSignature({ key, type, id }: OpenStep, signature: unknown, deltas: Deltas): void {
  if (!isNonEmptyString(signature)) return
  if (type === 'function_call') {
    deltas.push({ kind: 'opaque', key: `signature of ${key}`, payload: { on: 'call', id, signature } })
  } else
    deltas.push({
      kind: 'opaque',
      key: type === 'thought' ? key : `signature of ${key}`,
      payload: { on: 'thought', signature },
    })
}

// ---------------------------------------------------------------- steps

const argumentsText = (args: unknown, deltas: Deltas): string =>
  typeof args === 'string' ? args : isObject(args) && Object.keys(args).length > 0 ? formatArguments(args, deltas) : ''

/** The next step must not close a message whose citations may follow. */
function holdOpen(state: InteractionState, deltas: Deltas): void {
  if (state.unheld !== '') deltas.push({ kind: 'hold', key: state.unheld })
}

/** Begins the step of an index: a `step.start`, or a delta without one. */
export function beginStep(state: InteractionState, index: string, found: JsonRecord, deltas: Deltas): InteractionState {
  const type = scalarToString(found.type)
  holdOpen(state, deltas)
  const hosted = isHosted(type)
  const sealed = hosted ? state : sealSteps(state, deltas)
  const step: OpenStep = {
    number: state.count,
    key: `step ${state.count}`,
    type,
    id: readCallId(found.id) ?? '',
    given: '',
    raw: hosted ? (found as JsonObject) : null,
  }
  const started = {
    ...withStep(sealed, index, step),
    count: state.count + 1,
    unheld: type === 'model_output' ? step.key : '',
    afterText: hosted ? state.afterText : type === 'model_output',
  }
  if (hosted) return beginHosted(started, step, deltas)
  if (!KNOWN.has(type)) {
    emitLoss(`step ${shortWord(type)}`, deltas)
    return started
  }
  emitSignature(step, found.signature, deltas)
  if (type === 'thought') return applyContents(started, index, step, found.summary ?? found.content, deltas)
  if (type === 'function_call') return beginCall(started, index, step, found, deltas)
  const filled = applyContents(started, index, step, found.content, deltas)
  return found.error ? applyFailure(filled, found.error, deltas) : filled
}

function beginCall(
  state: InteractionState,
  index: string,
  step: OpenStep,
  { name, arguments: args }: JsonRecord,
  deltas: Deltas,
): InteractionState {
  emitCall(step.key, step.id === '' ? null : step.id, isNonEmptyString(name) ? name : null, '', deltas)
  const given = argumentsText(args, deltas)
  const next = withContent(state)
  return given === '' ? next : withStep(next, index, { ...step, given })
}

function emitCall(key: string, callId: string | null, name: string | null, args: string, deltas: Deltas): void {
  deltas.push({ kind: 'call', key, type: 'function_call', callId, name, arguments: args })
}

/** Applies a piece of the arguments of a call. Some pieces repeat its id, and bring its signature. */
function applyArguments(
  state: InteractionState,
  index: string,
  step: OpenStep,
  { arguments: args, id, name, signature }: JsonRecord,
  deltas: Deltas,
): InteractionState {
  const callId = step.id === '' ? readCallId(id) : null
  if (typeof args !== 'string' && !isObject(args)) emitWrongKind('arguments', args, deltas)
  const text = argumentsText(args, deltas)
  // Whole arguments of the start are repeated by deltas; a piece of them is continued, and nothing replaces them.
  const started = text !== '' && step.given !== '' && !isCompleteJson(step.given) ? step.given : ''
  emitCall(step.key, callId, isNonEmptyString(name) ? name : null, started + text, deltas)
  const known = callId === null ? step : { ...step, id: callId }
  emitSignature(known, signature, deltas)
  const given = text === '' ? step.given : ''
  return known === step && step.given === given ? state : withStep(state, index, { ...known, given })
}

/** The type of the step to which a delta without a start belongs. */
function stepTypeOf(type: string): string {
  if (type.startsWith('thought')) return 'thought'
  if (type === 'arguments_delta') return 'function_call'
  return isHosted(type) ? type : 'model_output'
}

export function applyDelta(
  state: InteractionState,
  index: string,
  open: OpenStep | undefined,
  delta: JsonRecord,
  deltas: Deltas,
): InteractionState {
  const type = scalarToString(delta.type)
  if (open === undefined) return applyBare(state, index, type, delta, deltas)
  if (isHosted(open.type)) return applyHostedDelta(state, index, open, delta, deltas)
  // The step is a loss, with all of its content.
  if (!KNOWN.has(open.type)) return state
  switch (type) {
    case 'text':
      return applyText(state, index, open, readText(delta.text), deltas)
    case 'arguments_delta':
      return applyArguments(state, index, open, delta, deltas)
    case 'thought_summary':
      return applySummary(state, index, open, delta.content, deltas)
    case 'thought_signature':
      emitSignature(open, delta.signature, deltas)
      return state
    case 'text_annotation_delta':
    case 'text_annotation':
      emitCitations(open.key, delta.annotations, deltas)
      return state
    case 'image':
    case 'audio':
    case 'video':
    case 'document':
      return applyMedia(state, open, delta, deltas)
    default:
      emitLoss(`delta ${shortWord(type)}`, deltas)
      return state
  }
}

function applySummary(
  state: InteractionState,
  index: string,
  step: OpenStep,
  content: unknown,
  deltas: Deltas,
): InteractionState {
  return isObject(content) && !isTextContent(content)
    ? applyMedia(state, step, content, deltas)
    : applyText(state, index, step, readText(content), deltas)
}

/** The open call to which arguments under the index of no step belong: that of their id, else the only one. */
function callOf({ steps }: InteractionState, { id }: JsonRecord): readonly [string, OpenStep] | undefined {
  const calls = mapEntries(steps).filter(([, step]) => step.type === 'function_call')
  const callId = readCallId(id)
  const named = callId === null ? undefined : calls.find(([, step]) => step.id === callId)
  return named ?? (callId === null && calls.length === 1 ? calls[0] : undefined)
}

/** A delta without the start of its step begins one. */
function applyBare(
  state: InteractionState,
  index: string,
  type: string,
  delta: JsonRecord,
  deltas: Deltas,
): InteractionState {
  const stepType = stepTypeOf(type)
  if (isHosted(stepType)) return beginStep(state, index, delta, deltas)
  const call = stepType === 'function_call' ? callOf(state, delta) : undefined
  if (call !== undefined) return applyArguments(state, call[0], call[1], delta, deltas)
  const started = beginStep(state, index, { type: stepType }, deltas)
  const step: OpenStep = {
    number: state.count,
    key: `step ${state.count}`,
    type: stepType,
    id: '',
    given: '',
    raw: null,
  }
  return applyDelta(started, index, step, delta, deltas)
}

/** Emits the arguments in the start of a call, if no delta had any. */
export function emitGiven({ type, key, given }: OpenStep, deltas: Deltas): void {
  if (type === 'function_call' && given !== '') emitCall(key, null, null, given, deltas)
}

/** Ends a step. A hosted call ends with its result. `isCut`: the answer ended inside the step. */
export function endStep(
  state: InteractionState,
  index: string,
  step: OpenStep,
  deltas: Deltas,
  isCut = false,
): InteractionState {
  const unheld = state.unheld === step.key ? '' : state.unheld
  const next = { ...state, steps: mapDelete(state.steps, index), unheld }
  if (isHosted(step.type)) return endHosted(next, step, deltas)
  emitGiven(step, deltas)
  if (KNOWN.has(step.type)) deltas.push({ kind: 'stop', key: step.key, ...(isCut ? { cut: true } : {}) })
  return next
}

export function endSteps(state: InteractionState, deltas: Deltas): InteractionState {
  const ended = mapEntries(state.steps).reduce<InteractionState>(
    (now, [index, step]) => endStep(now, index, step, deltas),
    state,
  )
  beginWaiting(ended, deltas)
  return sealSteps(ended, deltas)
}

const isOffset = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 0

/** A start that is missing is 0, as everywhere in Google's JSON. */
function spanOf({ start_index: start = 0, end_index: end }: JsonRecord): Span | null {
  return isOffset(start) && isOffset(end) ? { start, end, unit: 'utf8' } : null
}

const textOf = (value: unknown): string | null => (isNonEmptyString(value) ? value : null)

type Cited = Pick<Citation, 'url' | 'title' | 'file'>

/** Reads the source of an annotation: a page, a place on a map, or a file of the operator. */
function citedIn(annotation: JsonRecord): Cited | null {
  const { url, title, name, document_uri: uri, file_name, source } = annotation
  if (isNonEmptyString(url)) return { url, title: textOf(title) ?? textOf(name) }
  const id = [uri, file_name, source].find(isNonEmptyString)
  return id === undefined ? null : { url: '', title: null, file: { file_id: id, filename: textOf(file_name) ?? id } }
}

/** Emits the citations of a text. Annotations of sound have no form in an answer. */
function emitCitations(key: string, found: unknown, deltas: Deltas): void {
  for (const annotation of readObjects(found, 'annotations', deltas)) {
    const cited = citedIn(annotation)
    const type = shortWord(scalarToString(annotation.type))
    if (cited === null)
      emitLoss(type.endsWith('citation') ? 'a citation without a source' : `annotation ${type}`, deltas)
    else {
      const span = spanOf(annotation)
      if (span === null) emitWrongKind('end_index', annotation.end_index, deltas)
      deltas.push({ kind: 'citation', key, part: '', citation: { ...cited, content: null, span, marker: null } })
    }
  }
}
