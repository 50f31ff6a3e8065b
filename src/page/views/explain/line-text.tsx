import { useState } from 'preact/hooks'
import type { BodyLine } from './diff/body-line.ts'

/** Characters of a value that are shown until it is opened. */
const SHOWN = 320
/** Characters that stay before the first difference of a value that is too long to be shown whole. */
const BEFORE = 40

/** A line with its indentation. `beside`: the counterpart in the same row, to mark what differs. */
export function LineText({ line, beside }: { readonly line: BodyLine; readonly beside: BodyLine | null }) {
  const [isOpen, setOpen] = useState(false)
  const { name, text, depth } = line
  const common = beside === null || beside.text === text ? null : commonEnds(text, beside.text)
  const start = common === null ? 0 : Math.max(0, common.start - BEFORE)
  const isCut = text.length > SHOWN && !isOpen
  const [from, to] = isCut ? [start > BEFORE ? start : 0, start + SHOWN] : [0, text.length]
  return (
    <code style={{ paddingLeft: `${2 * depth + 2}ch` }}>
      {name !== null && <span class="name">{/^[\w$-]+$/.test(name) ? name : JSON.stringify(name)}: </span>}
      {from > 0 && '…'}
      <Marked text={text} from={from} to={to} common={common} />
      {isCut && to < text.length && '…'}
      {text.length > SHOWN && (
        <button type="button" class="link" onClick={() => setOpen(!isOpen)}>
          {isOpen ? 'less' : `all ${text.length.toLocaleString('en')} characters`}
        </button>
      )}
    </code>
  )
}

interface CommonEnds {
  /** The common characters at the start, and where the common end begins. */
  readonly start: number
  readonly end: number
}

interface MarkedProps {
  readonly text: string
  readonly from: number
  readonly to: number
  readonly common: CommonEnds | null
}

function Marked({ text, from, to, common }: MarkedProps) {
  // Where nothing is equal, a mark of everything shows nothing.
  if (common === null || (common.start <= 1 && common.end >= text.length - 1)) return <>{text.slice(from, to)}</>
  const [start, end] = [Math.max(from, Math.min(to, common.start)), Math.max(from, Math.min(to, common.end))]
  return (
    <>
      {text.slice(from, start)}
      {start < end && <mark>{text.slice(start, end)}</mark>}
      {text.slice(end, to)}
    </>
  )
}

function commonEnds(text: string, other: string): CommonEnds {
  const most = Math.min(text.length, other.length)
  let start = 0
  while (start < most && text[start] === other[start]) start += 1
  let tail = 0
  while (tail < most - start && text.at(-1 - tail) === other.at(-1 - tail)) tail += 1
  return { start, end: text.length - tail }
}
