import type { JSONPath } from 'jsonc-parser'
import { useCallback, useEffect, useMemo, useState } from 'react'
import { canvasModel, nodeAround } from '../model/canvas-model.ts'
import { pathAt, pathOf, rangeAt, treeOf } from '../model/route-document.ts'

/** The object that canvas, properties and text show as selected. `isSettled` is false while the text is older than that of the cursor. */
export function useSelection(text: string, isSettled: boolean) {
  const [path, select] = useState<JSONPath | null>(null)
  const [cursor, setCursor] = useState<number | null>(null)
  const range = useMemo(() => (path === null ? null : rangeAt(text, path)), [text, path])
  /** Selects the innermost object of the canvas around a path. */
  const selectAround = useCallback(
    (around: JSONPath) => select(nodeAround(canvasModel(text), around)?.path ?? null),
    [text],
  )
  useEffect(() => {
    if (cursor === null || !isSettled) return
    selectAround(pathAt(text, cursor))
    setCursor(null)
  }, [cursor, isSettled, text, selectAround])
  return {
    path: range === null ? null : path,
    range,
    select,
    selectAt: setCursor,
    selectPointer: useCallback((pointer: string) => selectAround(pathOf(treeOf(text), pointer)), [text, selectAround]),
  }
}
