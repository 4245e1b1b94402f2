import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useCallback, useEffect, useRef, useState, useSyncExternalStore } from 'react'
import { ApiError, type Problem } from '../api/client.ts'
import { deployText, readRouteText, validateText } from '../api/routes.ts'
import type { Draft, OtherDraft } from '../model/draft-store.ts'
import { drafts } from '../model/drafts.ts'
import { followed, type Served } from '../model/served-text.ts'
import { edited, redone, startHistory, type TextHistory, undone } from '../model/text-history.ts'
import { isLarge } from '../model/text-limits.ts'

const VALIDATE_DELAY = 300
/** Of a large text, which takes longer to store than a key to type. */
const STORE_DELAY = 300
/** Milliseconds after which changes of others are noticed. */
const REFRESH = 10_000

const onDraftChange = (listener: () => void) => drafts.onChange(listener)

/** The text of a route under edit: kept as draft, validated after each pause, deployed against the revision it is based on. */
export function useRouteDraft(router: string, id: string) {
  const queries = useQueryClient()
  const served = useQuery({
    queryKey: ['text', router, id],
    queryFn: () => readServed(router, id),
    refetchInterval: REFRESH,
  })
  const [kept] = useState(() => drafts.read(router, id))
  const [history, setHistory] = useState<TextHistory | null>(() => (kept === null ? null : startHistory(kept.text)))
  /** Text and revision that the draft is based on. */
  const base = useRef<Served>(baseOf(kept))
  const [isKept, setKept] = useState(true)
  const text = history?.text ?? null

  useEffect(() => {
    if (served.data === undefined) return
    const next = followed(history, base.current, served.data)
    if (next === null) return
    base.current = served.data
    setHistory(next)
  }, [history, served.data])

  /** Stores the draft that is not stored yet. */
  const store = useRef<(() => void) | null>(null)
  /** Removes the draft, also one that is not stored yet. */
  const forget = useCallback(() => {
    store.current = null
    drafts.remove(router, id)
  }, [router, id])

  useEffect(() => {
    if (text === null || served.data === undefined) return
    const isSame = base.current !== null && text === base.current._source
    if (isSame) return forget()
    const { _source = null, _sourceRev = null } = base.current ?? {}
    store.current = () => {
      store.current = null
      setKept(drafts.write(router, id, { text, base: _source, sourceRev: _sourceRev }))
    }
    if (!isLarge(text)) return store.current()
    const timer = setTimeout(() => store.current?.(), STORE_DELAY)
    return () => clearTimeout(timer)
  }, [text, router, id, served.data, forget])

  useEffect(() => {
    const storeNow = () => store.current?.()
    addEventListener('pagehide', storeNow)
    return () => {
      removeEventListener('pagehide', storeNow)
      storeNow()
    }
  }, [])

  const change = useCallback((next: string, isTyped = false) => {
    setHistory((before) => (before === null ? before : edited(before, next, isTyped, Date.now())))
  }, [])
  const step = useCallback((move: (history: TextHistory) => TextHistory | null) => {
    setHistory((before) => (before === null ? before : (move(before) ?? before)))
  }, [])

  /** Takes a served text as the new base; the draft is what `next` says. */
  const rebase = useCallback((now: Served, next: string) => {
    base.current = now
    setHistory((before) => (before === null ? startHistory(next) : edited(before, next, false, 0)))
  }, [])

  /** Takes one of the other drafts; the one that was here is offered instead. */
  const openOther = useCallback(
    (key: string) => {
      store.current?.()
      const other = drafts.open(router, id, key)
      if (other === null) return
      base.current = baseOf(other)
      setHistory(startHistory(other.text))
    },
    [router, id],
  )

  const deploy = useCallback(
    async (isForced = false): Promise<'deployed' | 'conflict'> => {
      if (text === null) return 'deployed'
      store.current?.()
      const against = isForced ? await readServed(router, id) : base.current
      try {
        const isCrlf = (isForced ? against : served.data)?.isCrlf ?? false
        await deployText(router, id, text, against?._sourceRev ?? null, isCrlf)
      } catch (error) {
        if (!(error instanceof ApiError) || (error.status !== 412 && error.status !== 404)) throw error
        // Also by this tab, whose earlier attempt had no response.
        const isDeployed = (await readServed(router, id))?._source === text
        if (!isDeployed) return 'conflict'
      }
      const now = await readServed(router, id)
      base.current = now
      drafts.deployed(router, id)
      queries.setQueryData(['text', router, id], now)
      void queries.invalidateQueries({ queryKey: ['routes', router] })
      return 'deployed'
    },
    [queries, router, id, text, served.data],
  )

  return {
    served,
    text,
    base: base.current,
    isChanged: text !== null && text !== base.current?._source,
    isKept,
    /** Whether the last change was typed into the text. */
    isTyped: (history?.typedAt ?? 0) > 0,
    canUndo: (history?.past.length ?? 0) > 0,
    canRedo: (history?.future.length ?? 0) > 0,
    change,
    undo: useCallback(() => step(undone), [step]),
    redo: useCallback(() => step(redone), [step]),
    rebase,
    forget,
    deploy,
    others: useOthers(router, id),
    openOther,
    problems: useProblems(router, id, text),
  }
}

/** Drafts of the route beside the one of this tab. */
function useOthers(router: string, id: string): readonly OtherDraft[] {
  // A text, since the snapshot of a store has to be the same value until it changes.
  const others = useSyncExternalStore(onDraftChange, () => JSON.stringify(drafts.others(router, id)))
  return JSON.parse(others) as OtherDraft[]
}

function baseOf(draft: Draft | null): Served {
  if (draft === null || draft.base === null || draft.sourceRev === null) return null
  return { _source: draft.base, _sourceRev: draft.sourceRev }
}

async function readServed(router: string, id: string): Promise<Served> {
  try {
    return await readRouteText(router, id)
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return null
    throw error
  }
}

/** Problems of a text by the gateway's own validation, after a pause of typing; null while they are not known. */
function useProblems(router: string, id: string, text: string | null) {
  const [problems, setProblems] = useState<readonly Problem[] | null>(null)
  const [failure, setFailure] = useState<Error | null>(null)
  const [attempt, setAttempt] = useState(0)
  // biome-ignore lint/correctness/useExhaustiveDependencies: `attempt` starts a validation on request.
  useEffect(() => {
    if (text === null) return
    const abort = new AbortController()
    const timer = setTimeout(async () => {
      try {
        const found = await validateText(router, id, text, abort.signal)
        // The same empty list, for which nothing is drawn again.
        setProblems((before) => (found.length === 0 && before?.length === 0 ? before : found))
        setFailure(null)
      } catch (error) {
        if (abort.signal.aborted) return
        const isAnswer = error instanceof ApiError && error.problems.length > 0
        if (isAnswer) setProblems(error.problems)
        setFailure(isAnswer ? null : (error as Error))
      }
    }, VALIDATE_DELAY)
    return () => {
      clearTimeout(timer)
      abort.abort()
    }
  }, [router, id, text, attempt])
  return { list: problems, failure, validate: () => setAttempt((count) => count + 1) }
}
