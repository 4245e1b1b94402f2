import { useQueries, useQuery } from '@tanstack/react-query'
import { useMemo, useSyncExternalStore } from 'react'
import { DEFAULT_ROUTER, listRouters, listRoutes } from '../api/routes.ts'
import { drafts } from '../model/drafts.ts'
import { type RouteRow, rowsOf } from './route-rows.ts'

const REFRESH = 10_000
const ONLY_DEFAULT: readonly string[] = [DEFAULT_ROUTER]

const onDraftChange = (listener: () => void) => drafts.onChange(listener)

/** The routes of every router, in the order in which each tries them. */
export function useAllRoutes() {
  const found = useQuery({ queryKey: ['routers'], queryFn: listRouters, refetchInterval: REFRESH })
  const routers = found.data !== undefined && found.data.length > 0 ? found.data : ONLY_DEFAULT
  const lists = useQueries({
    queries: routers.map((router) => ({
      queryKey: ['routes', router],
      queryFn: () => listRoutes(router),
      refetchInterval: REFRESH,
    })),
  })
  // A text, since the snapshot of a store has to be the same value until it changes.
  const drafted = useSyncExternalStore(onDraftChange, () => JSON.stringify(routers.map((router) => drafts.ids(router))))
  const updates = lists.map(({ dataUpdatedAt }) => dataUpdatedAt).join()
  // biome-ignore lint/correctness/useExhaustiveDependencies: `updates` says when one of the lists has changed.
  const rows = useMemo((): readonly RouteRow[] => {
    const ids = JSON.parse(drafted) as string[][]
    return routers.flatMap((router, at) => rowsOf(router, lists[at]?.data ?? [], ids[at] ?? []))
  }, [routers, updates, drafted])
  return {
    routers,
    rows,
    isPending: lists.some(({ isPending }) => isPending),
    error: lists.find(({ error }) => error !== null)?.error ?? null,
    retry: () => void Promise.all(lists.map((list) => list.refetch())),
  }
}
