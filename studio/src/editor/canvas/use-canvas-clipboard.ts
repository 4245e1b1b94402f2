import { useQueryClient } from '@tanstack/react-query'
import type { JSONPath } from 'jsonc-parser'
import { type RefObject, useEffect } from 'react'
import { TYPES_QUERY } from '../../api/types.ts'
import { useCommands } from '../../app/commands.ts'
import { copiedText, objectsIn, pasted, storeCopied, storedCopy } from '../../model/canvas-clipboard.ts'
import { removedAll } from '../../model/canvas-edits.ts'

/** Copy, cut and paste of objects: by the keys of the browser while the canvas has the focus, and as commands. */
export function useCanvasClipboard({
  canvas,
  text,
  pathsOf,
  selected,
  onChange,
}: {
  canvas: RefObject<HTMLElement | null>
  text: string
  /** Objects that an action on a focused element concerns. */
  pathsOf: (focused: Element | null) => readonly JSONPath[]
  selected: JSONPath | null
  onChange: ((text: string) => void) | undefined
}): void {
  const queries = useQueryClient()
  const copy = (focused: Element | null, isCut: boolean): string | null => {
    const paths = pathsOf(focused)
    const copied = copiedText(text, paths)
    if (copied === null) return null
    storeCopied(copied)
    if (isCut) onChange?.(removedAll(text, paths))
    return copied
  }
  const paste = async (focused: Element | null, copied: string | null) => {
    const values = objectsIn(copied ?? '')
    if (values.length === 0) return
    const after = pathsOf(focused).at(-1) ?? selected
    const types = await queries.fetchQuery(TYPES_QUERY)
    const kinds = new Map(types.map(({ _id, kind }) => [_id, kind]))
    onChange?.(pasted(text, values, (type) => kinds.get(type) ?? null, after))
  }
  const runCopy = (isCut: boolean) => {
    const copied = copy(focusedIn(canvas.current), isCut)
    // Pages without TLS have no clipboard here; the stored copy remains.
    if (copied !== null) void navigator.clipboard?.writeText(copied).catch(() => {})
  }

  useEffect(() => {
    if (onChange === undefined) return
    const isConcerned = () => isOnCanvas(canvas.current) && (getSelection()?.isCollapsed ?? true)
    const onCopy = (event: ClipboardEvent) => {
      if (!isConcerned()) return
      const copied = copy(focusedIn(canvas.current), event.type === 'cut')
      if (copied === null) return
      event.clipboardData?.setData('text/plain', copied)
      event.preventDefault()
    }
    const onPaste = (event: ClipboardEvent) => {
      if (!isConcerned()) return
      void paste(focusedIn(canvas.current), event.clipboardData?.getData('text/plain') || storedCopy())
      event.preventDefault()
    }
    document.addEventListener('copy', onCopy)
    document.addEventListener('cut', onCopy)
    document.addEventListener('paste', onPaste)
    return () => {
      document.removeEventListener('copy', onCopy)
      document.removeEventListener('cut', onCopy)
      document.removeEventListener('paste', onPaste)
    }
  })

  const isEditable = onChange !== undefined
  useCommands('canvas', [
    { name: 'Copy', isEnabled: isEditable, run: () => runCopy(false) },
    { name: 'Cut', isEnabled: isEditable, run: () => runCopy(true) },
    { name: 'Paste', isEnabled: isEditable, run: () => void paste(focusedIn(canvas.current), storedCopy()) },
  ])
}

/** The focused element of the canvas. */
function focusedIn(canvas: HTMLElement | null): Element | null {
  const { activeElement } = document
  return canvas?.contains(activeElement) ? activeElement : null
}

/** After a removal of the focused object the body has the focus. */
function isOnCanvas(canvas: HTMLElement | null): boolean {
  return document.activeElement === document.body || focusedIn(canvas) !== null
}
