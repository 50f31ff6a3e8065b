import type { Annotation } from '../../../../protocol/part.ts'
import type { AnswerRecord } from '../answer/answer-record.ts'
import { LANE_LABELS, type Lane, type LanePart, type PartKind, type Tick } from '../answer/lanes.ts'

const PART_LABELS: Readonly<Record<PartKind, string>> = {
  text: '',
  refusal: 'Refusal',
  reasoning: '',
  summary: 'Summary',
  arguments: 'Arguments',
  input: 'Input',
}

/** A paragraph longer than this continues in a new block, because a browser lays out a whole paragraph at once. */
const LONGEST_BLOCK = 4000
const LONGEST_DETAIL = 4000

/** One paragraph of a part. */
interface Block {
  readonly start: number
  readonly element: HTMLElement
  length: number
  isCited: boolean
}

interface ShownPart {
  readonly part: LanePart
  readonly box: HTMLElement
  readonly blocks: Block[]
  pieces: number
  citations: number
}

interface ShownLane {
  readonly lane: Lane
  readonly section: HTMLElement
  readonly state: HTMLElement
  readonly parts: ShownPart[]
  isClosed: boolean
}

/** The card that describes a source, and the list of sources below a text. */
interface SourceEvents {
  /** `place`: the cited text; null if none is pointed at. */
  onSource(citation: Annotation | null, place: HTMLElement | null): void
}

/**
 * The texts of an answer as elements. Text is appended to the last paragraph; a paragraph is built again only if a
 * citation of it arrives.
 */
export class AnswerText {
  private readonly root: HTMLElement
  private readonly events: SourceEvents
  private readonly shown: ShownLane[] = []

  constructor(root: HTMLElement, events: SourceEvents) {
    this.root = root
    this.events = events
  }

  draw({ lanes }: AnswerRecord): void {
    for (const lane of lanes) {
      const shown = this.shown[lane.position] ?? this.addLane(lane)
      if (!shown.isClosed) this.drawLane(shown)
    }
  }

  /** The place of a tick's text; null if it has none. */
  rangeOf({ lane, part, start, end }: Tick): Range | null {
    const blocks = this.shown[lane]?.parts[part]?.blocks ?? []
    const block = blocks.find((one) => start >= one.start && start < one.start + one.length)
    if (block === undefined) return null
    const range = document.createRange()
    const from = placeIn(block.element, start - block.start)
    const to = placeIn(block.element, Math.min(end - block.start, block.length))
    if (from === null || to === null) return null
    range.setStart(from.node, from.offset)
    range.setEnd(to.node, to.offset)
    return range
  }

  sectionOf(lane: number): HTMLElement | null {
    return this.shown[lane]?.section ?? null
  }

  private addLane(lane: Lane): ShownLane {
    const section = createElement('section', `live-item live-kind-${lane.kind}`)
    const heading = createElement('h3', '')
    const state = createElement('span', 'live-item-state')
    heading.append(titleOf(lane), state)
    section.append(heading)
    this.root.append(section)
    const shown: ShownLane = { lane, section, state, parts: [], isClosed: false }
    this.shown.push(shown)
    return shown
  }

  private drawLane(shown: ShownLane): void {
    const { lane, parts, section, state } = shown
    for (const [i, part] of lane.parts.entries()) this.drawPart(parts[i] ?? addPart(shown, part))
    const status = lane.status.replace('_', ' ')
    if (state.textContent !== status) state.textContent = status
    // Citations may follow after the end of an item.
    if (lane.ended === null || lane.kind === 'message') return
    if (lane.image !== null) {
      const image = new Image()
      image.src = lane.image
      image.alt = 'Generated image'
      image.className = 'live-image'
      section.append(image)
    }
    if (lane.detail !== '' && lane.detail !== '{}') {
      const detail = createElement('p', 'live-detail')
      detail.textContent =
        lane.detail.length > LONGEST_DETAIL ? `${lane.detail.slice(0, LONGEST_DETAIL)}…` : lane.detail
      section.append(detail)
    }
    shown.isClosed = true
  }

  private drawPart(shown: ShownPart): void {
    const { part } = shown
    if (shown.pieces < part.pieces.length) {
      appendText(shown, part.pieces.slice(shown.pieces).join(''))
      shown.pieces = part.pieces.length
      const last = shown.blocks.at(-1)
      if (last?.isCited === true) this.rebuild(shown, last)
    }
    if (shown.citations === part.citations.length) return
    shown.citations = part.citations.length
    for (const block of shown.blocks) this.rebuild(shown, block)
    this.listSources(shown)
  }

  /** Builds a paragraph again, with its citations. */
  private rebuild({ part }: ShownPart, block: Block): void {
    const text = block.element.textContent ?? ''
    const segments = segmentsOf(text, block.start, part.citations)
    block.isCited = segments.some(({ sources }) => sources.length > 0)
    if (!block.isCited) return
    block.element.replaceChildren(
      ...segments.flatMap(({ text, sources }) => {
        const [first] = sources
        // The number of a source stands beside its last word, and not on a line of its own.
        const cited = text.trimEnd()
        if (first === undefined || cited === '') return [text]
        const mark = this.createMark(cited, sources, part.citations[first] as Annotation)
        return [mark, text.slice(cited.length)]
      }),
    )
  }

  private createMark(text: string, sources: readonly number[], citation: Annotation): HTMLElement {
    const mark = createSource(citation, 'live-cited')
    mark.textContent = text
    // Style sheets show the numbers, so that they are no part of the text.
    mark.dataset.sources = sources.map((at) => at + 1).join(', ')
    for (const name of ['mouseenter', 'focus']) mark.addEventListener(name, () => this.events.onSource(citation, mark))
    for (const name of ['mouseleave', 'blur']) mark.addEventListener(name, () => this.events.onSource(null, null))
    return mark
  }

  private listSources({ part, box }: ShownPart): void {
    const list = createElement('ol', 'live-sources')
    list.ariaLabel = 'Sources'
    for (const citation of part.citations) {
      const source = createSource(citation, '')
      source.textContent = titleOfSource(citation)
      const entry = createElement('li', '')
      entry.append(source)
      list.append(entry)
    }
    box.querySelector('.live-sources')?.remove()
    box.append(list)
  }
}

const titleOf = ({ kind, type, name, position }: Lane): string => {
  const label = kind === 'hosted' ? type.replaceAll('_', ' ') : LANE_LABELS[kind]
  return `${position + 1} ${label}${name === '' ? '' : ` ${name}`}`
}

export const titleOfLane = titleOf

export const titleOfSource = (citation: Annotation): string =>
  citation.type === 'file_citation' ? citation.filename : citation.title || citation.url

function createElement(name: string, className: string): HTMLElement {
  const element = document.createElement(name)
  if (className !== '') element.className = className
  return element
}

/** A link if the source has an address on the web: other addresses, such as `javascript:`, are never opened. */
function createSource(citation: Annotation, className: string): HTMLElement {
  if (citation.type === 'url_citation' && /^https?:\/\//i.test(citation.url)) {
    const link = document.createElement('a')
    link.href = citation.url
    link.target = '_blank'
    link.rel = 'noreferrer noopener'
    link.className = className
    return link
  }
  const place = createElement('span', className)
  if (className !== '') place.tabIndex = 0
  return place
}

function addPart(shown: ShownLane, part: LanePart): ShownPart {
  const box = createElement('div', `live-part live-part-${part.kind}`)
  const label = PART_LABELS[part.kind]
  if (label !== '') {
    const heading = createElement('h4', '')
    heading.textContent = label
    box.append(heading)
  }
  shown.section.append(box)
  const made: ShownPart = { part, box, blocks: [], pieces: 0, citations: 0 }
  shown.parts.push(made)
  return made
}

/** Appends a text to the last paragraph, and begins a new one after each line break. */
function appendText(shown: ShownPart, text: string): void {
  for (let at = 0; at < text.length; ) {
    const last = shown.blocks.at(-1)
    const block = last === undefined || isFull(last) ? addBlock(shown) : last
    const end = endOfBlock(text, at, LONGEST_BLOCK - block.length)
    block.element.append(text.slice(at, end))
    block.length += end - at
    at = end
  }
}

/** The end of the text that belongs to the same paragraph: a line break, or a space where there is no more room. */
function endOfBlock(text: string, at: number, room: number): number {
  const line = text.indexOf('\n', at)
  const end = line < 0 ? text.length : line + 1
  if (end - at <= room) return end
  const space = text.indexOf(' ', at + Math.max(room, 0))
  return space < 0 || space >= end ? end : space + 1
}

const isFull = ({ element, length }: Block): boolean => {
  const text = element.lastChild?.textContent ?? ''
  return text.endsWith('\n') || (length >= LONGEST_BLOCK && text.endsWith(' '))
}

function addBlock({ blocks, box }: ShownPart): Block {
  const last = blocks.at(-1)
  const block: Block = {
    start: last === undefined ? 0 : last.start + last.length,
    element: createElement('p', ''),
    length: 0,
    isCited: false,
  }
  const sources = box.querySelector('.live-sources')
  if (sources === null) box.append(block.element)
  else sources.before(block.element)
  blocks.push(block)
  return block
}

function placeIn(element: HTMLElement, offset: number): { readonly node: Node; readonly offset: number } | null {
  const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT)
  let left = offset
  for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
    const { length } = node as Text
    if (left <= length) return { node, offset: left }
    left -= length
  }
  return null
}

/** A piece of a text, with the numbers of the citations that cover it, from 0. */
interface TextSegment {
  readonly text: string
  readonly sources: readonly number[]
}

interface CitedSpan {
  readonly start: number
  readonly end: number
}

/** The cited text; null for a citation without a place. A file citation has only the position at which it ends. */
export function spanOf(citation: Annotation): CitedSpan | null {
  if (citation.type === 'file_citation')
    return citation.index <= 0 ? null : { start: citation.index - 1, end: citation.index }
  const { start_index: start, end_index: end } = citation
  return end > start ? { start, end } : null
}

/** Divides a text at the borders of citations. `from`: the offset of the text in the part that the citations count in. */
export function segmentsOf(text: string, from: number, citations: readonly Annotation[]): readonly TextSegment[] {
  const spans = citations.map(spanOf)
  const borders = new Set([0, text.length])
  for (const span of spans) {
    if (span === null) continue
    for (const border of [span.start - from, span.end - from])
      if (border > 0 && border < text.length) borders.add(border)
  }
  const sorted = [...borders].sort((a, b) => a - b)
  return sorted.slice(1).map((end, i) => {
    const start = sorted[i] as number
    const sources = spans.flatMap((span, n) =>
      span !== null && span.start < from + end && span.end > from + start ? [n] : [],
    )
    return { text: text.slice(start, end), sources }
  })
}
