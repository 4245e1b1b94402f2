import { useEffect, useState } from 'react'
import { ROOT, refusalOf, sessionMayHaveEnded } from './client.ts'

/** State of a stream of the management API; of one that is refused for what it asks for, the reason. */
export type StreamState = 'connecting' | 'open' | 'lost' | { readonly refused: string }

/** Reads Server-Sent Events while a component is shown; the browser connects again after a loss. */
export function useEvents<T>(path: string | null, onEvent: (event: T) => void): StreamState {
  const [state, setState] = useState<StreamState>('connecting')
  // biome-ignore lint/correctness/useExhaustiveDependencies: the stream stays open while the path is the same.
  useEffect(() => {
    if (path === null) return
    let source: EventSource
    let timer: ReturnType<typeof setTimeout> | undefined
    let isOver = false
    /** A source does not say why it is closed. */
    const closed = async () => {
      const refused = await refusalOf(path)
      if (isOver) return
      if (refused !== null) return setState({ refused })
      sessionMayHaveEnded()
      timer = setTimeout(open, 3_000)
    }
    const open = () => {
      source = new EventSource(ROOT + path)
      source.onopen = () => setState('open')
      source.onmessage = ({ data }: MessageEvent<string>) => onEvent(JSON.parse(data) as T)
      source.onerror = () => {
        setState('lost')
        // A refusal closes the source for good; a gateway that restarts is found again by the browser.
        if (source.readyState === EventSource.CLOSED) void closed()
      }
    }
    open()
    return () => {
      isOver = true
      clearTimeout(timer)
      source.close()
    }
  }, [path])
  return state
}
