import type { RefObject, TextareaHTMLAttributes } from 'preact'
import { useLayoutEffect, useRef } from 'preact/hooks'

interface JsonTextFieldProps extends Omit<TextareaHTMLAttributes, 'value' | 'onScroll'> {
  readonly text: string
  readonly field: RefObject<HTMLTextAreaElement | null>
  /** Called after the field has scrolled. */
  readonly onFollow?: () => void
}

/** A longer text has no colours: a browser would lay it out twice for each key. */
const LONGEST_COLOURED = 100_000

/** Older browsers have no highlights of ranges: the text is plain. */
const canColour = (text: string): boolean => text.length <= LONGEST_COLOURED && CSS.highlights !== undefined

/** A text field for JSON in colour. An element below draws the text, and the field its caret and selection. */
export function JsonTextField({ text, field, onFollow, ...attributes }: JsonTextFieldProps) {
  const drawn = useRef<HTMLPreElement>(null)
  const isColoured = canColour(text)
  useLayoutEffect(() => {
    const node = drawn.current?.firstChild
    if (node instanceof Text) colour(node)
    return () => {
      for (const name of NAMES) CSS.highlights?.delete(name)
    }
  }, [text])
  const follow = (event: Event & { readonly currentTarget: HTMLTextAreaElement }): void => {
    const { scrollTop, scrollLeft } = event.currentTarget
    drawn.current?.scrollTo(scrollLeft, scrollTop)
    onFollow?.()
  }
  return (
    <div class={isColoured ? 'json-field coloured' : 'json-field'}>
      {isColoured && (
        <pre ref={drawn} aria-hidden="true">
          {`${text}\n`}
        </pre>
      )}
      <textarea ref={field} spellcheck={false} {...attributes} value={text} onScroll={follow} />
    </div>
  )
}

const TOKEN = /"(?:[^"\\\n]|\\.)*"?(\s*:)?|-?\d[\d.eE+-]*|true|false|null/g

const NAMES = ['json-name', 'json-text', 'json-value'] as const

function colour(node: Text): void {
  const ranges: Record<(typeof NAMES)[number], AbstractRange[]> = { 'json-name': [], 'json-text': [], 'json-value': [] }
  for (const { 0: token, 1: colon, index } of node.data.matchAll(TOKEN)) {
    const name = colon !== undefined ? 'json-name' : token.startsWith('"') ? 'json-text' : 'json-value'
    const endOffset = index + token.length - (colon?.length ?? 0)
    ranges[name].push(new StaticRange({ startContainer: node, startOffset: index, endContainer: node, endOffset }))
  }
  for (const name of NAMES) CSS.highlights.set(name, new Highlight(...ranges[name]))
}
