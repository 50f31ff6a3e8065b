import { type FlowRange, isLit, type Mark, TONES } from './cell-lines.ts'
import { markedPieces } from './excerpt.ts'

interface MarkedTextProps {
  readonly text: string
  readonly marks: readonly Mark[]
  readonly selected: FlowRange | null
}

/** A text whose marked ranges follow the selection: the same words of the answer light up in every column. */
export function MarkedText({ text, marks, selected }: MarkedTextProps) {
  return (
    <>
      {markedPieces(text, marks).map(({ text: words, mark }, at) =>
        mark === null ? (
          words
        ) : (
          <span
            key={at}
            class={`piece ${TONES[mark.kind]}${isLit(mark.carries, selected) ? ' lit' : ''}`}
            data-flow={mark.carries.flow}
            data-start={mark.carries.start}
            data-end={mark.carries.end}
          >
            {words}
          </span>
        ),
      )}
    </>
  )
}

/** Reads the part of a flow from an element of `MarkedText`, or one around it; null if there is none. */
export function carriedBy(target: EventTarget | null): FlowRange | null {
  const piece = target instanceof Element ? target.closest<HTMLElement>('[data-flow]') : null
  const { flow, start, end } = piece?.dataset ?? {}
  return flow === undefined ? null : { flow, start: Number(start), end: Number(end) }
}
