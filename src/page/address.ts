import { useEffect, useState } from 'preact/hooks'

/** The view and its state in the fragment of the address, such as `#/compare?wire=openai-chat`. */
interface PageAddress {
  readonly view: string
  readonly parameters: URLSearchParams
}

export function parseAddress(hash: string): PageAddress {
  const [view = '', query = ''] = hash.replace(/^#\/?/, '').split(/\?(.*)/s)
  return { view, parameters: new URLSearchParams(query) }
}

export function formatAddress(view: string, parameters: URLSearchParams = new URLSearchParams()): string {
  const query = parameters.toString()
  return `#/${view}${query === '' ? '' : `?${query}`}`
}

/** The address of the page, which changes with navigation. */
export function useAddress(): PageAddress {
  const [hash, setHash] = useState(location.hash)
  useEffect(() => {
    const read = (): void => setHash(location.hash)
    addEventListener('hashchange', read)
    return () => removeEventListener('hashchange', read)
  }, [])
  return parseAddress(hash)
}

/** Keeps the state of the view in the address, without an entry in the history of the browser. */
export function replaceParameters(view: string, parameters: URLSearchParams): void {
  history.replaceState(null, '', formatAddress(view, parameters))
}

/** Keeps a form with this entry of the history: a reload and the way back have it again, and other tabs do not. */
export const keepForm = (form: unknown): void => history.replaceState(form, '')

export const keptForm = (): unknown => history.state
