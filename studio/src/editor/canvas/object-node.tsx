import { Handle, type Node, type NodeProps, Position } from '@xyflow/react'
import type { CanvasNode } from '../../model/canvas-model.ts'

/** What a node of the canvas shows. */
export interface ObjectNodeData extends Record<string, unknown> {
  readonly node: CanvasNode
  readonly problem: string | null
  /** Time of a request in the object. */
  readonly mark: string | null
  /** A reference to an object that the route does not declare. */
  readonly isInherited: boolean
  /** Label of the branch that the object is the first of. */
  readonly branch: string | null
  readonly isFolded: boolean
  readonly onFold: (id: string) => void
}

/** An object of the route: name, type, decorators, and what is wrong with it. */
export function ObjectNode({
  data: { node, problem, mark, isInherited, branch, isFolded, onFold },
  selected,
}: NodeProps<Node<ObjectNodeData>>) {
  const { name, type, role, decorators, origin = null, branches } = node
  return (
    <div
      className={`node ${role}${selected ? ' selected' : ''}${problem === null ? '' : ' has-problem'}${mark === null ? '' : ' on-way'}`}
      title={problem ?? undefined}
    >
      <Handle type="target" position={Position.Left} isConnectable={false} />
      {branch !== null && (
        <span className="branch-label" title={branch}>
          {branch}
        </span>
      )}
      <span className="node-type">{type ?? (isInherited ? 'inherited' : 'reference')}</span>
      <span className="node-name" title={name ?? undefined}>
        {name ?? type}
      </span>
      {decorators.map((decorator) => (
        <span key={decorator} className="badge">
          {decorator}
        </span>
      ))}
      {origin !== null && <span className="badge">{origin}</span>}
      {mark !== null && <span className="badge mark">{mark}</span>}
      {problem !== null && <span className="badge problem">problem</span>}
      {branches.length > 0 && (
        <button type="button" className="fold nodrag" aria-expanded={!isFolded} onClick={() => onFold(node.id)}>
          {isFolded ? 'Unfold' : 'Fold'}
        </button>
      )}
      <Handle type="source" position={Position.Right} isConnectable={false} />
    </div>
  )
}
