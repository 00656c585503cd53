/** Tools that a client runs and whose schema Anthropic has published: models of other makers must be told it. @module */

/** What a model is told. */
export interface PublishedTool {
  description: string;
  parameters: Record<string, unknown>;
}

const text = { type: 'string' };
const integer = { type: 'integer' };
const oneOf = (...names: string[]) => ({ type: 'string', enum: names });
const list = (items: object, count: number) => ({ type: 'array', items, minItems: count, maxItems: count });

function tool(description: string, properties: Record<string, object>, ...required: string[]): PublishedTool {
  return { description, parameters: { type: 'object', properties, required } };
}

const FILE_FIELDS = {
  path: { ...text, description: 'Absolute path of a file or folder.' },
  view_range: { ...list(integer, 2), description: 'For `view`: first and last line; -1: the end.' },
  file_text: { ...text, description: 'For `create`: the content.' },
  old_str: { ...text, description: 'For `str_replace`: the text to replace, which occurs once.' },
  new_str: { ...text, description: 'For `str_replace`: what replaces it; older versions of `insert`: the new text.' },
  insert_line: { ...integer, description: 'For `insert`: the line after which the text goes.' },
  insert_text: { ...text, description: 'For `insert`: the text.' },
};

const EDITOR = 'Views, creates and edits text files.';

/** By the beginning of the type, behind which a date stands; a longer one comes first. */
const TOOLS: Record<string, PublishedTool> = {
  bash_: tool('Runs a command in a shell that stays open between calls. Either `command` or `restart` is given.', {
    command: text,
    restart: { type: 'boolean', description: 'Starts a new shell.' },
  }),
  text_editor_2024: tool(
    EDITOR,
    { command: oneOf('view', 'create', 'str_replace', 'insert', 'undo_edit'), ...FILE_FIELDS },
    'command',
    'path',
  ),
  text_editor_20250124: tool(
    EDITOR,
    { command: oneOf('view', 'create', 'str_replace', 'insert', 'undo_edit'), ...FILE_FIELDS },
    'command',
    'path',
  ),
  text_editor_: tool(
    EDITOR,
    { command: oneOf('view', 'create', 'str_replace', 'insert'), ...FILE_FIELDS },
    'command',
    'path',
  ),
  memory_: tool(
    'Keeps notes in files below /memories, which are there in later conversations, too.',
    {
      command: oneOf('view', 'create', 'str_replace', 'insert', 'delete', 'rename'),
      ...FILE_FIELDS,
      old_path: { ...text, description: 'For `rename`.' },
      new_path: { ...text, description: 'For `rename`.' },
    },
    'command',
  ),
  computer_: tool(
    'Looks at the screen and moves mouse and keyboard.',
    {
      action: oneOf(
        'screenshot',
        'key',
        'type',
        'mouse_move',
        'left_click',
        'left_click_drag',
        'right_click',
        'middle_click',
        'double_click',
        'triple_click',
        'left_mouse_down',
        'left_mouse_up',
        'scroll',
        'hold_key',
        'wait',
        'cursor_position',
        'zoom',
      ),
      coordinate: { ...list(integer, 2), description: 'x and y in pixels.' },
      start_coordinate: { ...list(integer, 2), description: 'Where a drag begins.' },
      region: { ...list(integer, 4), description: 'For `zoom`: x and y of two corners.' },
      text: { ...text, description: 'What to type, or the keys to press.' },
      scroll_direction: oneOf('up', 'down', 'left', 'right'),
      scroll_amount: integer,
      duration: { type: 'number', description: 'Seconds.' },
    },
    'action',
  ),
};

/** What Anthropic has published of a type such as `bash_20250124`; undefined: its own servers run it, or it is unknown. */
export function clientTool(type: string): PublishedTool | undefined {
  return Object.entries(TOOLS).find(([prefix]) => type.startsWith(prefix))?.[1];
}
