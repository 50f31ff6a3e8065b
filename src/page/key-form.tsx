import { useEffect, useState } from 'preact/hooks'
import type { KeyStore } from './key-store.ts'

/** Asks for the key, which stays in memory. With a key, offers to remove it. */
export function KeyForm({ keys }: { readonly keys: KeyStore }) {
  const [, setChanges] = useState(0)
  const [text, setText] = useState('')
  useEffect(() => keys.onChange(() => setChanges((count) => count + 1)), [keys])
  if (keys.current() !== null) {
    return (
      <div class="key-form">
        <span class="key-state">Key in memory</span>
        <button type="button" onClick={() => keys.clear()}>
          Remove
        </button>
      </div>
    )
  }
  const refusal = keys.refusal()
  const enter = (event: Event): void => {
    event.preventDefault()
    if (text.trim() === '') return
    keys.set(text.trim())
    setText('')
  }
  return (
    <form class="key-form" onSubmit={enter}>
      {refusal !== null && (
        <span class="key-refusal" role="alert">
          {refusal}
        </span>
      )}
      <label for="key">Key</label>
      <input
        id="key"
        type="password"
        autocomplete="off"
        spellcheck={false}
        placeholder="of this server"
        value={text}
        onInput={({ currentTarget }) => setText(currentTarget.value)}
      />
      <button type="submit" class="primary">
        Use
      </button>
    </form>
  )
}
