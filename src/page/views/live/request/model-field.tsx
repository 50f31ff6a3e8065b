import { useEffect, useRef, useState } from 'preact/hooks'

interface ModelFieldProps {
  readonly value: string
  /** The names that the server offers; `<vendor>/*` for a vendor that lists none. */
  readonly models: readonly string[]
  readonly onChange: (model: string) => void
}

/** More names than these are found by typing. */
const MOST_SHOWN = 100

/** The names that contain all words of a query. */
function findModels(models: readonly string[], query: string): readonly string[] {
  const words = query.toLowerCase().split(/\s+/)
  return models.filter((name) => words.every((word) => name.toLowerCase().includes(word)))
}

/**
 * A field with a list of all models. A list of the browser (`datalist`) would show only those that contain the present
 * name, which is one as soon as a model is chosen.
 */
export function ModelField({ value, models, onChange }: ModelFieldProps) {
  const field = useRef<HTMLInputElement>(null)
  const { list, shown, more, isShown, active, open, close, type, choose, onKeyDown } = useModelList(
    value,
    models,
    (name) => {
      onChange(name)
      field.current?.focus()
    },
  )
  const onMouseDown = (event: MouseEvent): void => {
    // The field keeps the focus.
    event.preventDefault()
    const at = event.target instanceof Element ? [...(list.current?.children ?? [])].indexOf(event.target) : -1
    const name = shown[at]
    if (name !== undefined) choose(name)
  }

  return (
    <div class="live-model">
      <input
        ref={field}
        id="live-model"
        role="combobox"
        autocomplete="off"
        spellcheck={false}
        placeholder="vendor/model"
        aria-autocomplete="list"
        aria-expanded={isShown}
        aria-controls="live-models"
        aria-activedescendant={isShown && active >= 0 ? `live-model-${active}` : undefined}
        value={value}
        onInput={({ currentTarget }) => {
          type(currentTarget.value)
          onChange(currentTarget.value)
        }}
        onKeyDown={onKeyDown}
        onClick={() => (isShown ? close() : open())}
        onFocus={({ currentTarget }) => currentTarget.select()}
        onBlur={close}
      />
      <div
        ref={list}
        id="live-models"
        role="listbox"
        tabIndex={-1}
        aria-label="Names of this server"
        hidden={!isShown}
        onMouseDown={onMouseDown}
      >
        {isShown &&
          shown.map((name, at) => (
            <div key={name} id={`live-model-${at}`} role="option" tabIndex={-1} aria-selected={at === active}>
              {name}
            </div>
          ))}
        {isShown && more > 0 && (
          <div role="option" tabIndex={-1} aria-disabled="true" aria-selected="false">
            {more} more: type a part of the name
          </div>
        )}
      </div>
    </div>
  )
}

/** The list of names: what is shown of it, the active name, and the keys that move in it. */
function useModelList(value: string, models: readonly string[], onChoose: (name: string) => void) {
  const list = useRef<HTMLDivElement>(null)
  /** The typed text; null if all names are shown. */
  const [query, setQuery] = useState<string | null>(null)
  const [isOpen, setOpen] = useState(false)
  const [active, setActive] = useState(-1)
  const found = query === null ? models : findModels(models, query)
  const shown = found.slice(0, MOST_SHOWN)
  const isShown = isOpen && shown.length > 0 && !(query !== null && shown.length === 1 && shown[0] === value)

  useEffect(() => {
    if (isShown) list.current?.children[active]?.scrollIntoView({ block: 'nearest' })
  }, [isShown, active])

  const close = (): void => setOpen(false)
  const open = (): void => {
    setQuery(null)
    setActive(models.indexOf(value))
    setOpen(true)
  }
  const type = (text: string): void => {
    setQuery(text)
    setActive(-1)
    setOpen(true)
  }
  const choose = (name: string): void => {
    // The name of a vendor is only the beginning of that of a model.
    onChoose(name.replace(/\*$/, ''))
    close()
  }
  const onKeyDown = (event: KeyboardEvent): void => {
    const { key } = event
    if (event.ctrlKey || event.metaKey) return
    if (key === 'ArrowDown' || key === 'ArrowUp') {
      event.preventDefault()
      const step = key === 'ArrowDown' ? 1 : -1
      if (isShown) setActive(Math.min(Math.max(active + step, 0), shown.length - 1))
      else open()
    } else if (key === 'Escape' && isShown) close()
    else if (key === 'Enter' && isShown) {
      event.preventDefault()
      const name = shown[active]
      if (name === undefined) close()
      else choose(name)
    }
  }
  return { list, shown, more: found.length - shown.length, isShown, active, open, close, type, choose, onKeyDown }
}
