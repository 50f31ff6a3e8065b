/**
 * The key of the user, in memory only: it is gone when the page is closed or loaded again. Requests wait until the user
 * has entered one.
 */
export interface KeyStore {
  /** Resolves with the key, at once if there is one. */
  get(): Promise<string>
  /** The key that is in use; null if there is none. */
  current(): string | null
  set(key: string): void
  /** Forgets a key that the server refused, with the server's message. A newer key stays. */
  refuse(key: string, message: string): void
  /** The message of the last refusal; null if there is none. */
  refusal(): string | null
  clear(): void
  /** Calls the listener after each change. Returns the function that removes it. */
  onChange(listener: () => void): () => void
}

export function createKeyStore(initial: string | null): KeyStore {
  let key = initial
  let refused: string | null = null
  const waiting: ((key: string) => void)[] = []
  const listeners = new Set<() => void>()
  const changed = (): void => {
    for (const listener of listeners) listener()
  }
  return {
    get: () => (key === null ? new Promise((resolve) => waiting.push(resolve)) : Promise.resolve(key)),
    current: () => key,
    set(entered) {
      key = entered
      refused = null
      for (const resolve of waiting.splice(0)) resolve(entered)
      changed()
    },
    refuse(old, message) {
      if (old !== key) return
      key = null
      refused = message
      changed()
    },
    refusal: () => refused,
    clear() {
      key = null
      refused = null
      changed()
    },
    onChange(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
}

const KEY_FRAGMENT = /^#key=([\w.~-]+)$/

/**
 * Takes the key out of an address such as `http://127.0.0.1:8787/#key=…`, which the server prints at its start. The
 * fragment is never sent, and it is replaced at once so that it is not copied with the address.
 */
export function takeKeyFromAddress({ hash }: Location, history: History): string | null {
  const key = KEY_FRAGMENT.exec(hash)?.[1] ?? null
  if (key !== null) history.replaceState(null, '', '#/live')
  return key
}
