// Folders of docs/ with programs and configurations, to which documents lead.

export const RECIPES = 'docs/recipes';
export const DEPLOYMENT = 'docs/deployment';
