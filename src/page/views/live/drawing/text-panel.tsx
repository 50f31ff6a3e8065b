import { useEffect, useRef, useState } from 'preact/hooks'
import type { Annotation } from '../../../../protocol/part.ts'
import type { AnswerRecord } from '../answer/answer-record.ts'
import type { LiveSelection } from '../selection.ts'
import { AnswerText, titleOfSource } from './answer-text.ts'
import { type DrawLoop, LIST_PAUSE_MS } from './draw-loop.ts'
import { EndFollower } from './end-follower.ts'
import { makeFocusable } from './make-focusable.ts'

interface TextPanelProps {
  readonly record: AnswerRecord
  readonly loop: DrawLoop
  readonly selection: LiveSelection
}

/** The source that is pointed at, and where its card is shown, in pixels from the top of the panel. */
interface ShownSource {
  readonly citation: Annotation
  readonly top: number
}

const HIGHLIGHT = 'live-selected'

/** The texts of the items, in order, with marked citations. */
export function TextPanel({ record, loop, selection }: TextPanelProps) {
  const box = useRef<HTMLElement>(null)
  const text = useRef<AnswerText | null>(null)
  const end = useRef(new EndFollower())
  const [source, setSource] = useState<ShownSource | null>(null)

  useEffect(() => {
    const element = box.current
    if (element === null) return
    element.replaceChildren()
    makeFocusable(element)
    const onSource = (citation: Annotation | null, place: HTMLElement | null): void => {
      const top = (place?.getBoundingClientRect().bottom ?? 0) - element.getBoundingClientRect().top
      setSource(citation === null ? null : { citation, top: top + element.offsetTop })
    }
    const shown = new AnswerText(element, { onSource })
    text.current = shown
    end.current = new EndFollower()
    const draw = (): void => {
      shown.draw(record)
      if (end.current.follows) element.scrollTop = element.scrollHeight
    }
    const onScroll = (): void => end.current.update(element)
    element.addEventListener('scroll', onScroll, { passive: true })
    const observer = new ResizeObserver(draw)
    observer.observe(element)
    const remove = loop.add(draw, LIST_PAUSE_MS)
    draw()
    return () => {
      observer.disconnect()
      element.removeEventListener('scroll', onScroll)
      remove()
    }
  }, [record, loop])

  useEffect(() => {
    const tick = selection.tick === null ? undefined : record.ticks[selection.tick]
    const range = tick === undefined ? null : (text.current?.rangeOf(tick) ?? null)
    if (tick !== undefined) {
      end.current.follows = false
      const place = range?.startContainer.parentElement ?? text.current?.sectionOf(tick.lane)
      place?.scrollIntoView({ block: 'nearest' })
    }
    // Older browsers have no highlights of ranges: the frame and the tick are marked all the same.
    if (CSS.highlights === undefined) return
    if (range === null) CSS.highlights.delete(HIGHLIGHT)
    else CSS.highlights.set(HIGHLIGHT, new Highlight(range))
  }, [selection])

  return (
    <section class="live-output" aria-labelledby="live-output-title">
      <h2 id="live-output-title">Output</h2>
      <section ref={box} class="live-text" aria-label="Text of the answer" />
      {source !== null && <SourceCard {...source} />}
    </section>
  )
}

function SourceCard({ citation, top }: ShownSource) {
  return (
    <div class="live-source-card" role="tooltip" style={{ top: `${top + 4}px` }}>
      <strong>{titleOfSource(citation)}</strong>
      <span>{citation.type === 'file_citation' ? citation.file_id : citation.url}</span>
      {citation.type === 'url_citation' && citation.content !== null && <q>{citation.content.slice(0, 400)}</q>}
    </div>
  )
}
