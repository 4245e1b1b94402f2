import type { JSONPath } from 'jsonc-parser'
import { useCommands } from '../../app/commands.ts'
import { isOrdered } from '../../model/canvas-drop.ts'
import type { CanvasModel } from '../../model/canvas-model.ts'
import {
  type Beside,
  innerPlace,
  type Moved,
  movedBeside,
  movedByStep,
  outerPlace,
  stepPlace,
} from '../../model/canvas-move.ts'

/** A direction in which objects are moved by key or command. */
type Direction = 'earlier' | 'later' | 'out' | 'in'

/** Moves objects: by a step, out of the object around, into a branch, or to a place. */
export function useCanvasMove({
  text,
  model,
  idsOf,
  pathOf,
  focusedId,
  onMoved,
  onChange,
}: {
  text: string
  model: CanvasModel
  /** The objects that an action on one concerns. */
  idsOf: (id: string) => readonly string[]
  pathOf: (id: string) => JSONPath | null
  /** The object that a command concerns. */
  focusedId: () => string | null
  /** Called before the change with the text and the new places. */
  onMoved: (ids: readonly string[], text: string, paths: readonly JSONPath[]) => void
  onChange: ((text: string) => void) | undefined
}) {
  const pathsOf = (ids: readonly string[]) => ids.map(pathOf).filter((path) => path !== null)
  const apply = (ids: readonly string[], moved: Moved | null) => {
    if (moved === null || onChange === undefined) return
    onMoved(ids, moved.text, moved.paths)
    onChange(moved.text)
  }
  const moveTo = (ids: readonly string[], place: Beside | null) =>
    apply(ids, place === null ? null : movedBeside(text, pathsOf(ids), place))
  const move = (id: string, direction: Direction) => {
    const path = pathOf(id)
    if (path === null) return
    const by = direction === 'earlier' ? -1 : 1
    const ids = idsOf(id)
    if (direction === 'out') moveTo(ids, outerPlace(model, id))
    else if (direction === 'in') moveTo(ids, innerPlace(model, id))
    else if (isOrdered(path)) moveTo(ids, stepPlace(text, pathsOf(ids), by))
    else apply([id], movedByStep(text, path, by))
  }
  const command = (name: string, direction: Direction) => ({
    name,
    isEnabled: onChange !== undefined,
    run: () => {
      const id = focusedId()
      if (id !== null) move(id, direction)
    },
  })
  useCommands('canvas-move', [
    command('Move earlier', 'earlier'),
    command('Move later', 'later'),
    command('Move out', 'out'),
    command('Move in', 'in'),
  ])
  return { moveTo, move }
}
