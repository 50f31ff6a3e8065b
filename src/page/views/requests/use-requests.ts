import { useEffect, useState } from 'preact/hooks'
import type { RequestEntry } from '../../../page-api/request-entry.ts'
import type { PageServer } from '../../server.ts'

interface ReadRequests {
  /** Null before the first list. */
  readonly entries: readonly RequestEntry[] | null
  /** The reason why the list cannot be read now; null if it is read. */
  readonly problem: string | null
}

const AGAIN_MS = 1000

/** Reads the requests of the server as long as the view is open, and again after a lost connection. */
export function useRequests(server: PageServer): ReadRequests {
  const [state, setState] = useState<ReadRequests>({ entries: null, problem: null })
  useEffect(() => {
    const leaving = new AbortController()
    const { signal } = leaving
    let timer: ReturnType<typeof setTimeout> | undefined
    const read = async (): Promise<void> => {
      let problem = 'The server ended the list of requests.'
      try {
        for await (const entries of server.requests(signal)) setState({ entries, problem: null })
      } catch (error) {
        problem = problemOf(error)
      }
      if (signal.aborted) return
      setState(({ entries }) => ({ entries, problem }))
      timer = setTimeout(() => void read(), AGAIN_MS)
    }
    void read()
    return () => {
      leaving.abort()
      clearTimeout(timer)
    }
  }, [server])
  return state
}

/** Browsers report a lost connection as a TypeError, each with its own words. */
function problemOf(error: unknown): string {
  if (error instanceof TypeError) return 'The server cannot be reached.'
  return `The list of requests cannot be read: ${error instanceof Error ? error.message : String(error)}`
}
