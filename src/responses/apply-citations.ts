import { EMPTY_LIST, listAppend, listConcat, listOf, listToArray } from '../collections/list.ts'
import { mapDelete, mapGet, mapSet } from '../collections/sorted-map.ts'
import type { Citation, CitationDelta, OffsetUnit } from '../protocol/delta.ts'
import type { Event } from '../protocol/event.ts'
import { ANSWER_BOUNDS } from '../protocol/limits.ts'
import type { Annotation } from '../protocol/part.ts'
import { finish, type Steps } from '../text/steps.ts'
import type { Speech } from './capabilities.ts'
import { hasPlace, past, placeAllInSteps, placeNow } from './citations.ts'
import { addressOf } from './events.ts'
import { lastOpen } from './item-index.ts'
import { type EarlierText, measure, measureEarlier, measureInSteps, withPlace } from './measured-text.ts'
import {
  type CitedText,
  type CitingState,
  type ItemState,
  itemAt,
  lastPart,
  type PartState,
  type Story,
  UNCITED,
  withLastPart,
  withLoss,
} from './state.ts'

/*
 * The citations of an answer: the annotations of the open text, and the citations that wait for its end. No function
 * here opens or closes an item or a part. A citation costs O(log n) and the length of its quote; waiting citations are
 * placed when the text ends, in one pass over it.
 */

/** Returns the open text that citations of that key belong to. */
function citedText(story: Story, key: string): { readonly at: number; readonly part: PartState } | null {
  const at = lastOpen(story.index, 'message', key)
  const part = at < 0 ? undefined : lastPart(itemAt(story, at))
  return part === undefined || part.type !== 'output_text' ? null : { at, part }
}

export function applyMark(story: Story, key: string): Story {
  const cited = citedText(story, key)
  if (cited === null) return story
  return withLastPart(story, cited.at, { ...cited.part, mark: cited.part.text.length })
}

export function applyCitation(story: Story, delta: CitationDelta, say: Event[], speech: Speech): Story {
  const type = delta.citation.file === undefined ? 'url_citation' : 'file_citation'
  if (!speech.annotations.includes(type)) return withLoss(story, type)
  const cited = citedText(story, delta.key)
  if (cited === null) {
    const waiting = listAppend(mapGet(story.citing.early, delta.key) ?? EMPTY_LIST, delta.citation)
    return withCiting(story, { ...story.citing, early: mapSet(story.citing.early, delta.key, waiting) })
  }
  const { at, part } = cited
  if (delta.block === true) return cite(story, at, ofBlock(delta.citation, part), say, speech)
  const { story: counted, shift } = shiftOf(story, delta.key, part.name)
  return cite(counted, at, shift(delta.citation), say, speech)
}

const ofBlock = (citation: Citation, { mark, text }: PartState): Citation => ({
  ...citation,
  span: { start: mark, end: text.length, unit: 'utf16' },
})

/** Returns a shift for spans of that key and part name, which also count the texts of finished messages with both. */
function shiftOf(
  story: Story,
  key: string,
  name: string,
): { readonly story: Story; readonly shift: (citation: Citation) => Citation } {
  const place = textName(key, name)
  const earlier = mapGet(story.citing.earlier, place)
  if (earlier === undefined) return { story, shift: (citation) => citation }
  const measured = measureEarlier(earlier, ({ item, part }) => saidText(itemAt(story, item), part))
  return {
    story: measured === earlier ? story : withEarlier(story, place, measured),
    shift: (citation) => past(measured.extent, citation),
  }
}

const withWaiting = (story: Story, more: number): Story =>
  withCiting(story, { ...story.citing, waiting: story.citing.waiting + more })

const withCiting = (story: Story, citing: CitingState): Story => ({ ...story, citing })

const withEarlier = (story: Story, place: string, texts: EarlierText): Story =>
  withCiting(story, { ...story.citing, earlier: mapSet(story.citing.earlier, place, texts) })

const textName = (key: string, name: string): string => JSON.stringify([key, name])

function saidText({ item }: ItemState, at: number): string {
  const part = item?.type === 'message' ? item.content[at] : undefined
  return part?.type === 'output_text' ? part.text : ''
}

/** Annotates the last part at once if the text so far decides the place; otherwise the citation waits. */
function cite(story: Story, at: number, citation: Citation, say: Event[], speech: Speech): Story {
  const part = lastPart(itemAt(story, at)) as PartState
  const cited = part.cited ?? UNCITED
  const isSource = citation.linked === true
  const source = isSource ? JSON.stringify([citation.url, citation.marker]) : ''
  // A source that is searched in the whole text is searched once, even if the upstream repeats it.
  if (isSource && mapGet(cited.linked, source) === true) return story
  const measured = hasPlace(citation) ? (cited.measured ?? measure(part.text)) : cited.measured
  const annotation = measured === null ? null : placeNow(citation, measured, speech.offsets)
  if (annotation !== null) {
    return annotate(withLastPart(story, at, { ...part, cited: { ...cited, measured } }), at, [annotation], say)
  }
  const linked = isSource ? mapSet(cited.linked, source, true) : cited.linked
  const waiting = listAppend(cited.waiting, citation)
  const changed = withLastPart(story, at, { ...part, cited: { measured, waiting, linked, placed: null } })
  return withWaiting(changed, 1)
}

/** The loss for citations above the limit of one text. */
export const CITATIONS_LOST = 'more citations than one text may have'

const roomIn = ({ annotations }: PartState): number => ANSWER_BOUNDS.citations - annotations.length

/** Adds as many annotations as one text may have; the rest is dropped as a loss. */
function annotate(story: Story, at: number, found: readonly Annotation[], say: Event[]): Story {
  const part = lastPart(itemAt(story, at)) as PartState
  const room = roomIn(part)
  if (found.length > room) return annotate(withLoss(story, CITATIONS_LOST), at, found.slice(0, room), say)
  return withAnnotations(story, at, part, found, say)
}

function withAnnotations(story: Story, at: number, part: PartState, added: readonly Annotation[], say: Event[]): Story {
  const { response_id, item_id, output_index, index: content_index } = addressOf(story, at, part)
  added.forEach((annotation, i) => {
    const annotation_index = part.annotations.length + i
    const address = { response_id, item_id, output_index, content_index }
    say.push({ type: 'output_text.annotation.added', ...address, annotation_index, annotation })
  })
  return withLastPart(story, at, { ...part, annotations: listConcat(part.annotations, added) })
}

/** Moves citations that arrived before this text to its waiting citations. */
export function takeEarly(story: Story, at: number, name: string): Story {
  const item = itemAt(story, at)
  const early = mapGet(story.citing.early, item.key)
  const part = lastPart(item)
  if (early === undefined || part === undefined) return story
  const { story: counted, shift } = shiftOf(story, item.key, name)
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
export function annotateWaiting(story: Story, at: number, say: Event[], { offsets, leavesOut }: Speech): Story {
  const part = lastPart(itemAt(story, at)) as PartState
  const { cited } = part
  if (cited === null || cited.waiting.length === 0) return story
  const rest = withWaiting(story, -cited.waiting.length)
  if (leavesOut?.(story, at) === true) return rest
  return annotate(rest, at, cited.placed ?? finish(placeSteps(part, cited, offsets)), say)
}

function* placeSteps(part: PartState, cited: CitedText, offsets: OffsetUnit): Steps<readonly Annotation[]> {
  const measured = cited.measured ?? (yield* measureInSteps(part.text))
  return yield* placeAllInSteps(listToArray(cited.waiting), part.text, measured, offsets, roomIn(part))
}

/** Above this number of citations, or this length of the text in UTF-16 units, citations are placed in slices. */
const FEW = 32
const SHORT = 64 * 1024

/** Returns whether placing the waiting citations of this item takes long. */
export function placesLong(story: Story, at: number): boolean {
  const part = lastPart(itemAt(story, at))
  const cited = part?.cited ?? null
  if (part === undefined || cited === null || cited.placed !== null || cited.waiting.length === 0) return false
  return cited.waiting.length > FEW || part.text.length > SHORT
}

/** Places the waiting citations ahead of time, in slices. The result is used if the text ends without having grown. */
export function* placeAhead(story: Story, at: number, offsets: OffsetUnit): Steps<Story> {
  const part = lastPart(itemAt(story, at)) as PartState
  const cited = part.cited ?? UNCITED
  const placed = yield* placeSteps(part, cited, offsets)
  return withLastPart(story, at, { ...part, cited: { ...cited, placed } })
}

/** Returns the item whose long text must be measured before this citation can be placed; -1 if there is none. */
export function toMeasure(story: Story, { key, citation }: CitationDelta): number {
  const cited = hasPlace(citation) ? citedText(story, key) : null
  if (cited === null || cited.part.text.length <= SHORT) return -1
  return (cited.part.cited?.measured ?? null) === null ? cited.at : -1
}

/** Measures that text in slices. */
export function* measureAhead(story: Story, at: number): Steps<Story> {
  const part = lastPart(itemAt(story, at)) as PartState
  const measured = yield* measureInSteps(part.text)
  return withLastPart(story, at, { ...part, cited: { ...(part.cited ?? UNCITED), measured } })
}

/** Drops the data that is kept for citations, which has no use after the end of the text. */
export function forgetCitations(story: Story, at: number): Story {
  const part = lastPart(itemAt(story, at))
  return part === undefined || part.cited === null ? story : withLastPart(story, at, { ...part, cited: null })
}

/**
 * Records the texts of a finished message before another message of its key begins, because citations of the new one
 * may count them. O(k) for k parts.
 */
export function keepTexts(story: Story, at: number): Story {
  const { key, names, item } = itemAt(story, at)
  let { earlier } = story.citing
  for (const [index, name] of names.entries()) {
    const place = textName(key, name)
    const isText = item?.type === 'message' && item.content[index]?.type === 'output_text'
    if (isText) earlier = mapSet(earlier, place, withPlace(mapGet(earlier, place), at, index))
  }
  return withCiting(story, { ...story.citing, earlier })
}
