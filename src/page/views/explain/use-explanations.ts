import { useEffect, useState } from 'preact/hooks'
import type { ExplainAnswer, ExplainQuery } from '../../../page-api/explanations.ts'
import type { PageServer } from '../../server.ts'

/** Milliseconds without a change of the query before it is sent. */
const PAUSE = 250

/** An answer with the query that it belongs to. */
export interface Explained {
  readonly query: ExplainQuery
  readonly answer: ExplainAnswer
}

export interface Explaining {
  /** The last answer, which stays until the next one. */
  readonly last: Explained | null
  readonly problem: string | null
  readonly isBusy: boolean
}

/**
 * Explains a query shortly after it has changed for the last time. A later query cancels an earlier one. `query`: null
 * while there is none, such as one whose body is not JSON.
 */
export function useExplanations(server: PageServer, query: ExplainQuery | null): Explaining {
  const [state, setState] = useState<Explaining>({ last: null, problem: null, isBusy: false })
  const body = query === null ? null : JSON.stringify(query)
  // With a key, the server explains for its own vendors.
  const [key, setKey] = useState(server.keys.current)
  useEffect(() => server.keys.onChange(() => setKey(server.keys.current())), [server])
  useEffect(() => {
    if (body === null) {
      setState(({ last }) => ({ last, problem: null, isBusy: false }))
      return
    }
    const cancelled = new AbortController()
    setState(({ last, problem }) => ({ last, problem, isBusy: true }))
    const send = async (): Promise<void> => {
      try {
        const query = JSON.parse(body) as ExplainQuery
        const answer = await server.explain(query, cancelled.signal)
        if (cancelled.signal.aborted) return
        setState({ last: { query, answer }, problem: null, isBusy: false })
      } catch (error) {
        if (cancelled.signal.aborted) return
        setState(({ last }) => ({
          last,
          problem: error instanceof Error ? error.message : String(error),
          isBusy: false,
        }))
      }
    }
    const timer = setTimeout(send, PAUSE)
    return () => {
      clearTimeout(timer)
      cancelled.abort()
    }
  }, [server, body, key])
  return state
}
