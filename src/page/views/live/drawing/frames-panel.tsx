import { useEffect, useRef } from 'preact/hooks'
import type { AnswerRecord } from '../answer/answer-record.ts'
import { type LiveSelection, selectFrame } from '../selection.ts'
import { type DrawLoop, LIST_PAUSE_MS } from './draw-loop.ts'
import { EndFollower } from './end-follower.ts'
import { FrameList, rowId } from './frame-list.ts'
import { makeFocusable } from './make-focusable.ts'
import { shownFrame } from './shown-frame.ts'

interface FramesPanelProps {
  readonly record: AnswerRecord
  readonly loop: DrawLoop
  readonly selection: LiveSelection
  readonly onSelect: (selection: LiveSelection) => void
}

/** The raw frames, and the whole payload of the selected one. */
export function FramesPanel({ record, loop, selection, onSelect }: FramesPanelProps) {
  const box = useRef<HTMLDivElement>(null)
  const list = useRef<FrameList | null>(null)
  const end = useRef(new EndFollower())
  const selected = useRef(selection.frame)
  selected.current = selection.frame

  useEffect(() => {
    const element = box.current
    if (element === null) return
    element.replaceChildren()
    const frames = new FrameList(element)
    list.current = frames
    end.current = new EndFollower()
    const draw = (): void => frames.draw(record, selected.current, end.current.follows)
    const onScroll = (): void => {
      end.current.update(element)
      draw()
    }
    element.addEventListener('scroll', onScroll, { passive: true })
    const observer = new ResizeObserver(draw)
    observer.observe(element)
    const remove = loop.add(draw, LIST_PAUSE_MS)
    draw()
    return () => {
      element.removeEventListener('scroll', onScroll)
      observer.disconnect()
      remove()
    }
  }, [record, loop])

  useEffect(() => {
    if (selection.frame !== null) {
      end.current.follows = false
      list.current?.reveal(selection.frame)
    }
    list.current?.draw(record, selection.frame, false)
  }, [selection])

  const onKeyDown = (event: KeyboardEvent): void => {
    const at = frameForKey(event.key, selection.frame, record.frames.length, list.current?.rowsOfPage() ?? 1)
    if (at === null) return
    event.preventDefault()
    onSelect(selectFrame(record, at))
  }
  const onClick = (event: MouseEvent): void => {
    const row = event.target instanceof Element ? event.target.closest('[role=option]') : null
    if (row !== null) onSelect(selectFrame(record, Number(row.ariaPosInSet) - 1))
  }

  const frame = selection.frame === null ? undefined : record.frames[selection.frame]
  return (
    <section class="live-frames" aria-labelledby="live-frames-title">
      <h2 id="live-frames-title">Frames</h2>
      <div
        ref={box}
        class="live-frame-box"
        role="listbox"
        tabIndex={0}
        aria-label="Raw frames"
        aria-activedescendant={selection.frame === null ? undefined : rowId(selection.frame)}
        onKeyDown={onKeyDown}
        onClick={onClick}
      />
      {frame !== undefined && (
        <section ref={makeFocusable} class="live-frame-data" aria-label="The selected frame">
          <pre>{shownFrame(frame.event, frame.data)}</pre>
        </section>
      )}
    </section>
  )
}

function frameForKey(key: string, at: number | null, count: number, page: number): number | null {
  const from = at ?? -1
  switch (key) {
    case 'ArrowDown':
      return from + 1
    case 'ArrowUp':
      return from - 1
    case 'PageDown':
      return from + page
    case 'PageUp':
      return from - page
    case 'Home':
      return 0
    case 'End':
      return count - 1
    default:
      return null
  }
}
