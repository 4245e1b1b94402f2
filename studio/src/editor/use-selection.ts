import type { JSONPath } from 'jsonc-parser'
import { useCallback, useMemo, useState } from 'react'
import { canvasModel, nodeAround } from '../model/canvas-model.ts'
import { pathAt, pathOf, rangeAt, treeOf } from '../model/route-document.ts'

/** The object that canvas, properties and text show as selected. */
export function useSelection(text: string) {
  const [path, select] = useState<JSONPath | null>(null)
  const range = useMemo(() => (path === null ? null : rangeAt(text, path)), [text, path])
  /** Selects the innermost object of the canvas around a path. */
  const selectAround = useCallback(
    (around: JSONPath) => select(nodeAround(canvasModel(text), around)?.path ?? null),
    [text],
  )
  return {
    path: range === null ? null : path,
    range,
    select,
    selectAt: useCallback((offset: number) => selectAround(pathAt(text, offset)), [text, selectAround]),
    selectPointer: useCallback((pointer: string) => selectAround(pathOf(treeOf(text), pointer)), [text, selectAround]),
  }
}
