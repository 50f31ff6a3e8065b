import { EMPTY_LIST, listAppend, listConcat, listOf, listToArray } from '../collections/list.ts'
import { mapDelete, mapGet, mapSet } from '../collections/sorted-map.ts'
import type { Citation, CitationDelta, OffsetUnit } from '../protocol/delta.ts'
import type { Event } from '../protocol/event.ts'
import { ANSWER_BOUNDS } from '../protocol/limits.ts'
import type { Annotation } from '../protocol/part.ts'
import { runSteps, type Steps } from '../text/steps.ts'
import { type Capabilities, type Citing, citationType } from './capabilities.ts'
import { anchorAll, anchorNow, isAnchored, past } from './citations.ts'
import { addressOf } from './events.ts'
import { lastOpen } from './item-index.ts'
import {
  type CitedText,
  type EarlierText,
  measure,
  measureEarlier,
  measureInSteps,
  UNCITED,
  withEarlierText,
} from './measured-text.ts'
import {
  type CitingState,
  type ItemState,
  itemAt,
  lastPart,
  type PartState,
  type ResponseState,
  withLastPart,
  withLoss,
} from './state.ts'

/*
 * The citations of an answer: the annotations of the open text, and the citations that wait for its end. No function
 * here opens or closes an item or a part. A citation costs O(log n) and the length of its quote; waiting citations are
 * placed when the text ends, in one pass over it.
 */

/** Returns the open text that citations of that key belong to. */
function citedText(response: ResponseState, key: string): { readonly at: number; readonly part: PartState } | null {
  const at = lastOpen(response.index, 'message', key)
  const part = at < 0 ? undefined : lastPart(itemAt(response, at))
  return part === undefined || part.type !== 'output_text' ? null : { at, part }
}

function applyMark(response: ResponseState, key: string): ResponseState {
  const cited = citedText(response, key)
  if (cited === null) return response
  return withLastPart(response, cited.at, { ...cited.part, mark: cited.part.text.length })
}

/** Clients show the address of a citation as a link. Those of an operator's own documents have schemes of any name. */
const UNSAFE = /^(?:javascript|data|vbscript|blob|file):/i

/** The letters in which a scheme is written, with the white space and control characters that browsers ignore. */
const LONGEST_SCHEME = 64

const runsScript = (url: string): boolean => UNSAFE.test(url.slice(0, LONGEST_SCHEME).replace(/[\s\p{Cc}]/gu, ''))

function applyCitation(
  response: ResponseState,
  delta: CitationDelta,
  events: Event[],
  capabilities: Capabilities,
): ResponseState {
  const type = citationType(delta.citation)
  if (!capabilities.annotations.includes(type) || runsScript(delta.citation.url)) return withLoss(response, type)
  const cited = citedText(response, delta.key)
  if (cited === null) {
    const waiting = listAppend(mapGet(response.citing.early, delta.key) ?? EMPTY_LIST, delta.citation)
    return withCiting(response, { ...response.citing, early: mapSet(response.citing.early, delta.key, waiting) })
  }
  const { at, part } = cited
  if (delta.block === true) return cite(response, at, ofBlock(delta.citation, part), events, capabilities)
  const { response: counted, shift } = shiftOf(response, delta.key, part.name)
  return cite(counted, at, shift(delta.citation), events, capabilities)
}

const ofBlock = (citation: Citation, { mark, text }: PartState): Citation => ({
  ...citation,
  span: { start: mark, end: text.length, unit: 'utf16' },
})

/** Returns a shift for spans of that key and part name, which also count the texts of finished messages with both. */
function shiftOf(
  response: ResponseState,
  key: string,
  name: string,
): { readonly response: ResponseState; readonly shift: (citation: Citation) => Citation } {
  const textKey = textName(key, name)
  const earlier = mapGet(response.citing.earlier, textKey)
  if (earlier === undefined) return { response, shift: (citation) => citation }
  const measured = measureEarlier(earlier, ({ item, part }) => partText(itemAt(response, item), part))
  return {
    response: measured === earlier ? response : withEarlier(response, textKey, measured),
    shift: (citation) => past(measured.extent, citation),
  }
}

const withWaiting = (response: ResponseState, more: number): ResponseState =>
  withCiting(response, { ...response.citing, waiting: response.citing.waiting + more })

const withCiting = (response: ResponseState, citing: CitingState): ResponseState => ({ ...response, citing })

const withEarlier = (response: ResponseState, textKey: string, texts: EarlierText): ResponseState =>
  withCiting(response, { ...response.citing, earlier: mapSet(response.citing.earlier, textKey, texts) })

const textName = (key: string, name: string): string => JSON.stringify([key, name])

function partText({ item }: ItemState, at: number): string {
  const part = item?.type === 'message' ? item.content[at] : undefined
  return part?.type === 'output_text' ? part.text : ''
}

/** Annotates the last part at once if the text so far decides the place; otherwise the citation waits. */
function cite(
  response: ResponseState,
  at: number,
  citation: Citation,
  events: Event[],
  capabilities: Capabilities,
): ResponseState {
  const part = lastPart(itemAt(response, at)) as PartState
  const cited = part.cited ?? UNCITED
  const isSource = citation.linked === true
  const source = isSource ? JSON.stringify([citation.url, citation.marker]) : ''
  // A source that is searched in the whole text is searched once, even if the upstream repeats it.
  if (isSource && mapGet(cited.linked, source) === true) return response
  const measured = isAnchored(citation) ? (cited.measured ?? measure(part.text)) : cited.measured
  const annotation = measured === null ? null : anchorNow(citation, measured, capabilities.offsets)
  if (annotation !== null) {
    return annotate(withLastPart(response, at, { ...part, cited: { ...cited, measured } }), at, [annotation], events)
  }
  const linked = isSource ? mapSet(cited.linked, source, true) : cited.linked
  const waiting = listAppend(cited.waiting, citation)
  const changed = withLastPart(response, at, { ...part, cited: { measured, waiting, linked, placed: null } })
  return withWaiting(changed, 1)
}

/** The loss for citations above the limit of one text. */
export const CITATIONS_DROPPED = 'citations beyond the limit of one text'

const roomIn = ({ annotations }: PartState): number => ANSWER_BOUNDS.citations - annotations.length

/** Adds as many annotations as one text may have; the rest is dropped as a loss. */
function annotate(response: ResponseState, at: number, found: readonly Annotation[], events: Event[]): ResponseState {
  const part = lastPart(itemAt(response, at)) as PartState
  const room = roomIn(part)
  if (found.length > room) return annotate(withLoss(response, CITATIONS_DROPPED), at, found.slice(0, room), events)
  return withAnnotations(response, at, part, found, events)
}

function withAnnotations(
  response: ResponseState,
  at: number,
  part: PartState,
  added: readonly Annotation[],
  events: Event[],
): ResponseState {
  const { response_id, item_id, output_index, index: content_index } = addressOf(response, at, part)
  added.forEach((annotation, i) => {
    const annotation_index = part.annotations.length + i
    const address = { response_id, item_id, output_index, content_index }
    events.push({ type: 'output_text.annotation.added', ...address, annotation_index, annotation })
  })
  return withLastPart(response, at, { ...part, annotations: listConcat(part.annotations, added) })
}

/** Moves citations that arrived before this text to its waiting citations. */
function takeEarly(response: ResponseState, at: number, name: string): ResponseState {
  const item = itemAt(response, at)
  const early = mapGet(response.citing.early, item.key)
  const part = lastPart(item)
  if (early === undefined || part === undefined) return response
  const { response: counted, shift } = shiftOf(response, item.key, name)
  const waiting = listOf(listToArray(early).map(shift))
  const opened = withLastPart(counted, at, { ...part, cited: { ...UNCITED, waiting } })
  const { citing } = opened
  return withCiting(opened, {
    ...citing,
    early: mapDelete(citing.early, item.key),
    waiting: citing.waiting + waiting.length,
  })
}

/** Places all citations that wait for the end of this text, in one pass over it. */
function annotateWaiting(
  response: ResponseState,
  at: number,
  events: Event[],
  { offsets, leavesOut }: Capabilities,
): ResponseState {
  const part = lastPart(itemAt(response, at)) as PartState
  const { cited } = part
  if (cited === null || cited.waiting.length === 0) return response
  const rest = withWaiting(response, -cited.waiting.length)
  if (leavesOut?.(response, at) === true) return rest
  return annotate(rest, at, cited.placed ?? runSteps(placeSteps(part, cited, offsets)), events)
}

function* placeSteps(part: PartState, cited: CitedText, offsets: OffsetUnit): Steps<readonly Annotation[]> {
  const measured = cited.measured ?? (yield* measureInSteps(part.text))
  return yield* anchorAll(listToArray(cited.waiting), part.text, measured, offsets, roomIn(part))
}

/** Above this number of citations, or this length of the text in UTF-16 units, citations are placed in slices. */
const FEW = 32
const SHORT = 64 * 1024

/** Returns whether placing the waiting citations of this item takes long. */
export function placesLong(response: ResponseState, at: number): boolean {
  const part = lastPart(itemAt(response, at))
  const cited = part?.cited ?? null
  if (part === undefined || cited === null || cited.placed !== null || cited.waiting.length === 0) return false
  return cited.waiting.length > FEW || part.text.length > SHORT
}

/** Places the waiting citations ahead of time, in slices. The result is used if the text ends without having grown. */
export function* placeAhead(response: ResponseState, at: number, offsets: OffsetUnit): Steps<ResponseState> {
  const part = lastPart(itemAt(response, at)) as PartState
  const cited = part.cited ?? UNCITED
  const placed = yield* placeSteps(part, cited, offsets)
  return withLastPart(response, at, { ...part, cited: { ...cited, placed } })
}

/** Returns the item whose long text must be measured before this citation can be placed; -1 if there is none. */
export function toMeasure(response: ResponseState, { key, citation }: CitationDelta): number {
  const cited = isAnchored(citation) ? citedText(response, key) : null
  if (cited === null || cited.part.text.length <= SHORT) return -1
  return (cited.part.cited?.measured ?? null) === null ? cited.at : -1
}

/** Measures that text in slices. */
export function* measureAhead(response: ResponseState, at: number): Steps<ResponseState> {
  const part = lastPart(itemAt(response, at)) as PartState
  const measured = yield* measureInSteps(part.text)
  return withLastPart(response, at, { ...part, cited: { ...(part.cited ?? UNCITED), measured } })
}

/** Drops the data that is kept for citations, which has no use after the end of the text. */
function forgetCitations(response: ResponseState, at: number): ResponseState {
  const part = lastPart(itemAt(response, at))
  return part === undefined || part.cited === null ? response : withLastPart(response, at, { ...part, cited: null })
}

/**
 * Records the texts of a finished message before another message of its key begins, because citations of the new one
 * may count them. O(k) for k parts.
 */
function keepTexts(response: ResponseState, at: number): ResponseState {
  const { key, names, item } = itemAt(response, at)
  let { earlier } = response.citing
  for (const [index, name] of names.entries()) {
    const textKey = textName(key, name)
    const isText = item?.type === 'message' && item.content[index]?.type === 'output_text'
    if (isText) earlier = mapSet(earlier, textKey, withEarlierText(mapGet(earlier, textKey), at, index))
  }
  return withCiting(response, { ...response.citing, earlier })
}

/** The citations of an answer, for wires that have any. */
export const CITATIONS: Citing = {
  mark: applyMark,
  apply: applyCitation,
  takeEarly,
  placeWaiting: annotateWaiting,
  forget: forgetCitations,
  keepTexts,
}
