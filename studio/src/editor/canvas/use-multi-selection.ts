import type { JSONPath } from 'jsonc-parser'
import { useState } from 'react'
import { pointerOf } from '../../model/canvas-model.ts'

interface Further {
  readonly text: string
  readonly primary: string | null
  readonly ids: readonly string[]
}

/** The selected object and further ones. These are dropped when the text changes, since their paths may then name others. */
export function useMultiSelection(text: string, selected: JSONPath | null, onSelect: (path: JSONPath | null) => void) {
  const primary = selected === null ? null : pointerOf(selected)
  const [further, setFurther] = useState<Further | null>(null)
  const isCurrent = further !== null && further.text === text && further.primary === primary
  const furtherIds = isCurrent ? further.ids : []
  const ids = primary === null ? [] : [primary, ...furtherIds]
  /** Adds an object to the selection, or takes it out where it is in it. */
  const toggle = (id: string, path: JSONPath) => {
    if (primary === null) onSelect(path)
    else if (id !== primary) {
      const rest = furtherIds.filter((one) => one !== id)
      setFurther({ text, primary, ids: rest.length < furtherIds.length ? rest : [...rest, id] })
    }
  }
  /** Selects one object and no other. */
  const only = (path: JSONPath | null) => {
    setFurther(null)
    onSelect(path)
  }
  /** Selects objects of a text that is set at the same time. */
  const all = (next: string, [first, ...others]: readonly JSONPath[]) => {
    if (first === undefined) return
    setFurther({ text: next, primary: pointerOf(first), ids: others.map(pointerOf) })
    onSelect(first)
  }
  return { ids, toggle, only, all, key: JSON.stringify(ids) }
}
