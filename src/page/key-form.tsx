import { useEffect, useRef, useState } from 'preact/hooks'
import type { KeyStore } from './key-store.ts'

/** Draws a component again after each change of the key. */
function useChanges(keys: KeyStore): void {
  const [, setChanges] = useState(0)
  useEffect(() => keys.onChange(() => setChanges((count) => count + 1)), [keys])
}

/** Asks for the key, which stays in memory. With a key, offers to remove it. */
export function KeyForm({ keys }: { readonly keys: KeyStore }) {
  useChanges(keys)
  const [text, setText] = useState('')
  const field = useRef<HTMLInputElement>(null)
  const hasKey = keys.current() !== null
  useEffect(() => {
    // Without a key, Live and Requests can do nothing else.
    if (!hasKey && document.activeElement === document.body) field.current?.focus()
  }, [hasKey])
  if (hasKey) {
    return (
      <div class="key-form">
        <span class="key-state">Key in memory</span>
        <button type="button" onClick={() => keys.clear()}>
          Remove
        </button>
      </div>
    )
  }
  const enter = (event: Event): void => {
    event.preventDefault()
    if (text.trim() === '') return
    keys.set(text.trim())
    setText('')
  }
  return (
    <form class="key-form" onSubmit={enter}>
      <label for="key">Key</label>
      <input
        ref={field}
        id="key"
        type="password"
        autocomplete="off"
        spellcheck={false}
        aria-describedby="key-notice"
        value={text}
        onInput={({ currentTarget }) => setText(currentTarget.value)}
      />
      <button type="submit" class="primary">
        Use
      </button>
    </form>
  )
}

/** Explains which key is needed, or why the last one was refused; nothing while there is a key. */
export function KeyNotice({ keys }: { readonly keys: KeyStore }) {
  useChanges(keys)
  if (keys.current() !== null) return null
  const refusal = keys.refusal()
  return (
    <p id="key-notice" class={refusal === null ? 'key-notice' : 'key-notice error'} role="status">
      {refusal ??
        'Enter a key of this server: one of its configuration, or the development key that it prints at its start. The page keeps it in memory only. Compare and Explain need none.'}
    </p>
  )
}
